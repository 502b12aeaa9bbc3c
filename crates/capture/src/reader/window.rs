//! The read buffer of a file: refilled from its input, never longer than one record needs.

use std::io::{self, Read};

/// Bytes read at a time.
const READ_LENGTH: usize = 256 * 1024;

/// A window that moves over an input.
pub(super) struct Window {
    input: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
}

impl Window {
    /// A window at the start of `input`.
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        Window { input, bytes: vec![0; READ_LENGTH], start: 0, end: 0, offset: 0 }
    }

    /// The bytes in the window.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Bytes passed so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Makes at least `length` bytes available; false if the input ends before.
    #[inline]
    pub fn fill(&mut self, length: usize) -> io::Result<bool> {
        if self.end - self.start >= length { Ok(true) } else { self.refill(length) }
    }

    #[cold]
    fn refill(&mut self, length: usize) -> io::Result<bool> {
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
        while self.end < length {
            match self.input.read(&mut self.bytes[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(more) => self.end += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Passes over `length` bytes, which must be available.
    #[inline]
    pub fn pass(&mut self, length: usize) {
        debug_assert!(self.end - self.start >= length, "bytes that are available");
        self.start += length;
        self.offset += length as u64;
    }
}
