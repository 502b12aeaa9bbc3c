//! The deframer: a stream of bytes to KISS frames.

use super::error::Fault;
use super::message::Message;
use super::{FEND, FESC, TFEND, TFESC};

/// Finds KISS frames in a stream of bytes, split and merged as a serial line or TCP may do.
///
/// Bytes before the first [`FEND`] are the end of a frame whose start was missed, and are dropped; so are empty frames.
#[derive(Clone, Debug)]
pub struct Deframer {
    longest: usize,
    /// Whether a [`FEND`] has been received and the frame is valid so far.
    open: bool,
    escaped: bool,
    /// Whether the frame is complete, so that the next byte begins another.
    complete: bool,
    frame: Vec<u8>,
}

impl Deframer {
    /// A deframer for frames of up to `longest` bytes, the command byte not counted.
    pub fn new(longest: usize) -> Self {
        let longest = longest.saturating_add(1);
        Deframer { longest, open: false, escaped: false, complete: false, frame: Vec::new() }
    }

    /// Takes one byte. The [`FEND`] that ends a frame returns it; an invalid frame returns one fault.
    pub fn push(&mut self, byte: u8) -> Option<Result<Message<&[u8]>, Fault>> {
        if std::mem::take(&mut self.complete) {
            self.frame.clear();
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
        if self.frame.len() == self.longest {
            return self.fail(Fault::TooLong(self.longest - 1));
        }
        self.frame.push(byte);
        None
    }

    fn close(&mut self) -> Option<Result<Message<&[u8]>, Fault>> {
        let opened = std::mem::replace(&mut self.open, true);
        let cut = std::mem::take(&mut self.escaped);
        self.complete = true;
        match (opened, cut) {
            (true, true) => Some(Err(Fault::Escape(FEND))),
            (true, false) if !self.frame.is_empty() => Some(Message::parse(&self.frame)),
            _ => None,
        }
    }

    fn fail(&mut self, fault: Fault) -> Option<Result<Message<&[u8]>, Fault>> {
        self.open = false;
        self.complete = true;
        Some(Err(fault))
    }
}
