//! The information of an FRMR frame (AX.25 v2.0; v2.2 accepts it and never sends it).

use super::sequence::Modulo;
use crate::limits::{OutOfRange, within};

/// What a station says of a frame it cannot make sense of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameReject {
    /// How the sender counts, which decides whether the information has 3 octets or 5.
    pub modulo: Modulo,
    /// The control field that was rejected: one octet, or two with the first in the lower half.
    pub control: u16,
    /// The sender's V(R).
    pub v_r: u8,
    /// The sender's V(S).
    pub v_s: u8,
    /// Whether the rejected frame was a response.
    pub response: bool,
    /// Why it was rejected.
    pub reasons: Reasons,
}

/// Why a frame was rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reasons {
    /// W: the control field is unknown.
    pub unknown_control: bool,
    /// X: the frame has information and must not; W is set with it.
    pub unexpected_information: bool,
    /// Y: the information is longer than the sender can take.
    pub too_long: bool,
    /// Z: N(R) acknowledges what was never sent.
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
    /// Reads 3 octets or 5. Other lengths say nothing that is known, and give none.
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
