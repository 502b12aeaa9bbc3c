//! A stream of bytes to units.

use thiserror::Error;

use super::message::Message;
use super::{FEND, FESC, TFEND, TFESC};

/// Finds units in a stream of bytes, split and merged as a line or TCP may do.
///
/// What comes before the first [`FEND`] is the tail of a unit whose head nobody heard, and is dropped; so are empty
/// units.
#[derive(Clone, Debug)]
pub struct Deframer {
    longest: usize,
    /// Whether a [`FEND`] has been heard and nothing has spoilt the unit since.
    open: bool,
    escaped: bool,
    /// Whether the unit is over, so that the next byte begins another.
    complete: bool,
    unit: Vec<u8>,
}

/// Why bytes between two [`FEND`]s are no unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// There is no command byte.
    #[error("a KISS unit is empty")]
    Empty,
    /// More bytes than the receiver takes.
    #[error("a KISS unit is longer than {0} bytes")]
    TooLong(usize),
    /// An escape that stands for nothing.
    #[error("byte {0:02x} follows an escape in a KISS unit")]
    Escape(u8),
    /// A command that is not known.
    #[error("KISS command {0} is not known")]
    Command(u8),
    /// A command without its value.
    #[error("KISS command {0} has no value")]
    NoValue(u8),
}

impl Deframer {
    /// Takes units of up to `longest` bytes, the command byte not counted.
    pub fn new(longest: usize) -> Self {
        let longest = longest.saturating_add(1);
        Deframer { longest, open: false, escaped: false, complete: false, unit: Vec::new() }
    }

    /// Takes one byte. The [`FEND`] that ends a unit gives it; what spoils one gives a fault, once.
    pub fn push(&mut self, byte: u8) -> Option<Result<Message<&[u8]>, Fault>> {
        if std::mem::take(&mut self.complete) {
            self.unit.clear();
        }
        if byte == FEND {
            return self.close();
        }
        if !self.open {
            return None;
        }
        let byte = match (std::mem::take(&mut self.escaped), byte) {
            (false, FESC) => {
                self.escaped = true;
                return None;
            }
            (false, other) => other,
            (true, TFEND) => FEND,
            (true, TFESC) => FESC,
            (true, other) => return self.fail(Fault::Escape(other)),
        };
        if self.unit.len() == self.longest {
            return self.fail(Fault::TooLong(self.longest - 1));
        }
        self.unit.push(byte);
        None
    }

    fn close(&mut self) -> Option<Result<Message<&[u8]>, Fault>> {
        let opened = std::mem::replace(&mut self.open, true);
        let cut = std::mem::take(&mut self.escaped);
        self.complete = true;
        match (opened, cut) {
            (true, true) => Some(Err(Fault::Escape(FEND))),
            (true, false) if !self.unit.is_empty() => Some(Message::parse(&self.unit)),
            _ => None,
        }
    }

    fn fail(&mut self, fault: Fault) -> Option<Result<Message<&[u8]>, Fault>> {
        self.open = false;
        self.complete = true;
        Some(Err(fault))
    }
}
