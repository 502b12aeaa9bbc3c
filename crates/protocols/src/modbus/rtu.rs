//! Frames of RTU mode: unit, PDU and CRC, separated by silence (Modbus over Serial Line V1.02, section 2.5.1).

use std::collections::VecDeque;

use crc::{CRC_16_MODBUS, Crc, Table};
use sojourn_core::{Machine, Time};

use super::error::Fault;
use super::timing::Silence;
use super::{Frame, LONGEST_PDU};

/// Most octets of a frame.
pub const LONGEST: usize = LONGEST_PDU + 3;
/// Fewest octets of a frame: unit, function and CRC.
pub const SHORTEST: usize = 4;

const CRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_MODBUS);

/// The CRC of a frame's octets; its low octet is sent first.
pub fn crc(octets: &[u8]) -> u16 {
    CRC.checksum(octets)
}

/// Octets on the line of a PDU.
pub const fn length(pdu: usize) -> usize {
    pdu + 3
}

/// Appends the frame of a PDU, which has at most [`LONGEST_PDU`] octets.
pub fn emit(unit: u8, pdu: &[u8], bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    bytes.push(unit);
    bytes.extend_from_slice(pdu);
    let crc = crc(&bytes[begin..]);
    bytes.extend_from_slice(&crc.to_le_bytes());
}

/// Reads the octets between two silences.
pub fn parse(octets: &[u8]) -> Result<Frame<'_>, Fault> {
    if octets.len() > LONGEST {
        return Err(Fault::TooLong(LONGEST));
    }
    let too_short = Fault::TooShort(octets.len());
    if octets.len() < SHORTEST {
        return Err(too_short);
    }
    let (checked, check) = octets.split_last_chunk::<2>().ok_or(too_short)?;
    let (given, computed) = (u16::from_le_bytes(*check), crc(checked));
    if given != computed {
        return Err(Fault::Check { given, computed });
    }
    let (&unit, pdu) = checked.split_first().ok_or(too_short)?;
    Ok(Frame { unit, pdu })
}

/// What a UART passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Character {
    /// A character without fault, whose stop bit has just ended.
    Octet(u8),
    /// A character with a wrong parity or stop bit.
    Damaged,
}

/// Finds frames in the characters of a line by the silence between them.
///
/// A frame is complete once no character has ended for t3.5: one that has begun meanwhile belongs to the next. A silence of more than t1.5 within it, measured from the end
/// of one character to the end of the next less the time of that one, makes it invalid, as does a damaged character. Each
/// frame, or each fault, comes once, at the end of the silence.
#[derive(Clone, Debug)]
pub struct Receiver {
    silence: Silence,
    octets: Vec<u8>,
    /// Why the frame that is being received is invalid.
    fault: Option<Fault>,
    /// When the last character ended; none while the line is silent.
    last: Option<Time>,
    found: VecDeque<Result<Vec<u8>, Fault>>,
}

impl Receiver {
    /// A receiver on a silent line.
    pub fn new(silence: Silence) -> Receiver {
        Receiver { silence, octets: Vec::with_capacity(LONGEST), fault: None, last: None, found: VecDeque::new() }
    }

    /// Whether a frame is being received.
    pub fn is_receiving(&self) -> bool {
        self.last.is_some()
    }

    fn end_frame(&mut self) {
        self.last = None;
        let found = match self.fault.take() {
            Some(fault) => Err(fault),
            None => parse(&self.octets).map(|_| self.octets.clone()),
        };
        self.octets.clear();
        self.found.push_back(found);
    }
}

impl Machine for Receiver {
    type Input = Character;
    /// The octets of a frame whose CRC is right, for [`parse`].
    type Output = Result<Vec<u8>, Fault>;

    fn handle(&mut self, now: Time, character: Character) {
        self.wake(now);
        let gap = self.last.map(|last| now.since(last).saturating_sub(self.silence.character));
        if gap.is_some_and(|gap| gap > self.silence.t15) {
            self.fault.get_or_insert(Fault::Gap);
        }
        self.last = Some(now);
        match character {
            Character::Damaged => _ = self.fault.get_or_insert(Fault::Character),
            Character::Octet(_) if self.octets.len() == LONGEST => {
                _ = self.fault.get_or_insert(Fault::TooLong(LONGEST))
            }
            Character::Octet(octet) => self.octets.push(octet),
        }
    }

    fn wake(&mut self, now: Time) {
        if self.next_wakeup().is_some_and(|due| due <= now) {
            self.end_frame();
        }
    }

    fn poll_output(&mut self) -> Option<Self::Output> {
        self.found.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.last.map(|last| last + self.silence.t35)
    }
}
