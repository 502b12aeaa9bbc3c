//! Frames of ASCII mode: hexadecimal digits between a colon and CR LF (Modbus over Serial Line V1.02, section 2.5.2).

use super::error::Fault;
use super::{Frame, LONGEST_PDU};

/// Most characters of a frame: colon, two for each octet of unit, PDU and LRC, CR and LF.
pub const LONGEST: usize = length(LONGEST_PDU);

const COLON: u8 = b':';
const CR: u8 = b'\r';
const LF: u8 = b'\n';

/// The LRC of a frame's octets: the two's complement of their sum.
pub fn lrc(octets: &[u8]) -> u8 {
    octets.iter().fold(0u8, |sum, octet| sum.wrapping_add(*octet)).wrapping_neg()
}

/// Characters on the line of a PDU.
pub const fn length(pdu: usize) -> usize {
    1 + 2 * (pdu + 2) + 2
}

/// Appends the frame of a PDU, which has at most [`LONGEST_PDU`] octets.
pub fn emit(unit: u8, pdu: &[u8], bytes: &mut Vec<u8>) {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
    let sum = lrc(pdu).wrapping_sub(unit);
    bytes.push(COLON);
    for octet in [unit].iter().chain(pdu).chain([&sum]) {
        bytes.extend_from_slice(&[digit(octet >> 4), digit(octet & 15)]);
    }
    bytes.extend_from_slice(&[CR, LF]);
}

/// Finds frames in the characters of a line.
///
/// Characters before a colon are dropped, a colon begins a frame anew, and LF after CR ends it. A driver calls
/// [`abort`](Receiver::abort) after a second of silence within a frame.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    octets: Vec<u8>,
    state: State,
    /// The first of two digits.
    high: Option<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No colon since the last frame.
    #[default]
    Idle,
    /// Digits follow.
    Digits,
    /// A CR has come, LF follows.
    Ending,
    /// The octets of the last frame are kept until the next character.
    Complete,
}

impl Receiver {
    /// A receiver on a silent line.
    pub fn new() -> Receiver {
        Receiver::default()
    }

    /// Whether a frame is being received.
    pub fn is_receiving(&self) -> bool {
        matches!(self.state, State::Digits | State::Ending)
    }

    /// A silence that is too long; returns whether a frame was being received.
    pub fn abort(&mut self) -> bool {
        let received = self.is_receiving();
        self.state = State::Idle;
        received
    }

    /// Takes one character, without its parity bit. The last one of a frame returns it; an invalid frame returns one fault.
    pub fn push(&mut self, character: u8) -> Option<Result<Frame<'_>, Fault>> {
        match (self.state, character) {
            (_, COLON) => {
                self.octets.clear();
                self.high = None;
                self.state = State::Digits;
                None
            }
            (State::Digits, CR) => {
                self.state = State::Ending;
                None
            }
            (State::Digits, digit) => self.digit(digit).map(Err),
            (State::Ending, LF) => Some(self.end_frame()),
            (State::Ending, other) => Some(Err(self.fail(Fault::Digit(other)))),
            (State::Idle | State::Complete, _) => None,
        }
    }

    fn digit(&mut self, digit: u8) -> Option<Fault> {
        let Some(nibble) = (digit as char).to_digit(16) else { return Some(self.fail(Fault::Digit(digit))) };
        let nibble = nibble as u8;
        match self.high.take() {
            None => self.high = Some(nibble),
            Some(_) if self.octets.len() == LONGEST_PDU + 2 => return Some(self.fail(Fault::TooLong(LONGEST))),
            Some(high) => self.octets.push(high << 4 | nibble),
        }
        None
    }

    fn fail(&mut self, fault: Fault) -> Fault {
        self.state = State::Idle;
        fault
    }

    fn end_frame(&mut self) -> Result<Frame<'_>, Fault> {
        self.state = State::Complete;
        if self.high.is_some() || self.octets.len() < 3 {
            return Err(Fault::TooShort(self.octets.len()));
        }
        let (&given, checked) = self.octets.split_last().ok_or(Fault::TooShort(0))?;
        let computed = lrc(checked);
        if given != computed {
            return Err(Fault::Check { given: given.into(), computed: computed.into() });
        }
        let (&unit, pdu) = checked.split_first().ok_or(Fault::TooShort(0))?;
        Ok(Frame { unit, pdu })
    }
}
