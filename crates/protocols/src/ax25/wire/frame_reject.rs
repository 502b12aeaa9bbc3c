//! The information field of FRMR (AX.25 v2.0; v2.2 accepts FRMR and never sends it).

use super::sequence::Modulo;
use crate::limits::{OutOfRange, within};

/// The rejected frame, and the state of the station that rejects it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameReject {
    /// The sender's modulus: the information field has 3 octets modulo 8 and 5 modulo 128.
    pub modulo: Modulo,
    /// The rejected control field, its first octet in the lower half.
    pub control: u16,
    /// The sender's V(R), receive state variable.
    pub v_r: u8,
    /// The sender's V(S), send state variable.
    pub v_s: u8,
    /// Whether the rejected frame was a response.
    pub response: bool,
    /// Why it was rejected.
    pub reasons: Reasons,
}

/// Why a frame was rejected: bits W, X, Y and Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reasons {
    /// W: the control field is invalid or not implemented.
    pub unknown_control: bool,
    /// X: the frame has an information field and must not; W is set too.
    pub unexpected_information: bool,
    /// Y: the information field exceeds the sender's N1.
    pub too_long: bool,
    /// Z: N(R) is invalid: it acknowledges a frame that was never sent.
    pub invalid_n_r: bool,
}

impl Reasons {
    const fn parse(octet: u8) -> Self {
        Reasons {
            unknown_control: octet & 1 != 0,
            unexpected_information: octet & 2 != 0,
            too_long: octet & 4 != 0,
            invalid_n_r: octet & 8 != 0,
        }
    }

    fn emit(self) -> u8 {
        u8::from(self.unknown_control)
            | u8::from(self.unexpected_information) << 1
            | u8::from(self.too_long) << 2
            | u8::from(self.invalid_n_r) << 3
    }
}

impl FrameReject {
    /// Parses 3 or 5 octets; `None` for any other length.
    pub(super) fn parse(information: &[u8]) -> Option<Self> {
        match *information {
            [control, states, reasons] => Some(FrameReject {
                modulo: Modulo::Eight,
                control: u16::from(control),
                v_r: states >> 5,
                v_s: states >> 1 & 7,
                response: states & 0x10 != 0,
                reasons: Reasons::parse(reasons),
            }),
            [first, second, send, receive, reasons] => Some(FrameReject {
                modulo: Modulo::OneHundredTwentyEight,
                control: u16::from_le_bytes([first, second]),
                v_r: receive >> 1,
                v_s: send >> 1,
                response: receive & 1 != 0,
                reasons: Reasons::parse(reasons),
            }),
            _ => None,
        }
    }

    pub(super) const fn length(&self) -> usize {
        match self.modulo {
            Modulo::Eight => 3,
            Modulo::OneHundredTwentyEight => 5,
        }
    }

    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        let control_limit = if self.modulo == Modulo::Eight { 0xff } else { 0xffff };
        within("rejected control field", self.control.into(), control_limit)?;
        within("V(R)", self.v_r.into(), self.modulo.largest().into())?;
        within("V(S)", self.v_s.into(), self.modulo.largest().into())
    }

    pub(super) fn emit(&self, buffer: &mut [u8]) {
        let [first, second] = self.control.to_le_bytes();
        let response = u8::from(self.response);
        match self.modulo {
            Modulo::Eight => {
                buffer.copy_from_slice(&[first, self.v_r << 5 | response << 4 | self.v_s << 1, self.reasons.emit()])
            }
            Modulo::OneHundredTwentyEight => {
                buffer.copy_from_slice(&[first, second, self.v_s << 1, self.v_r << 1 | response, self.reasons.emit()])
            }
        }
    }
}
