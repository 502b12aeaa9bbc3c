//! A frame on one line, in the format of packet radio monitors.

use std::fmt;

use super::{Addressing, Body, Frame, Reasons, Role};

impl fmt::Display for Addressing {
    /// `PING-2>PONG-1,DIGI1*,DIGI2`: an asterisk marks a digipeater that has repeated the frame.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.source, self.destination)?;
        if self.digipeaters.is_empty() { Ok(()) } else { write!(f, ",{:?}", self.digipeaters) }
    }
}

impl<D> fmt::Display for Body<D> {
    /// `I 3,5` with N(S) and N(R), `RR 4` with N(R), `SREJ 4+6` with a list, `FRMR Z` with its reasons.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Body::I { n_s, n_r, .. } => write!(f, " {n_s},{n_r}"),
            Body::S { modulo, n_r, further, .. } => {
                write!(f, " {n_r}")?;
                further.from_on(*n_r, *modulo).try_for_each(|number| write!(f, "+{number}"))
            }
            Body::Frmr(Some(reject)) => write!(f, " {}", reject.reasons),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Reasons {
    /// Their letters in the standard: W, X, Y, Z.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [
            (self.unknown_control, "W"),
            (self.unexpected_information, "X"),
            (self.too_long, "Y"),
            (self.invalid_n_r, "Z"),
        ];
        letters.into_iter().filter(|(holds, _)| *holds).try_for_each(|(_, letter)| f.write_str(letter))
    }
}

impl<D> fmt::Display for Frame<D> {
    /// `PING-2>PONG-1: I 3,5 P`: P of a command, F of a response.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.addressing, self.body)?;
        match (self.poll_final, self.addressing.role) {
            (false, _) => Ok(()),
            (true, Role::Response) => f.write_str(" F"),
            (true, _) => f.write_str(" P"),
        }
    }
}
