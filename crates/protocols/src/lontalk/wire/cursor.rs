//! Reading and writing bytes from front to back.

use super::ParseError;

/// Bytes not read yet.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next byte, part of `field`.
    pub fn byte(&mut self, field: &'static str) -> Result<u8, ParseError> {
        Ok(self.take(1, field)?[0])
    }

    /// The next `count` bytes, part of `field`.
    pub fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], ParseError> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(ParseError::Truncated(field))?;
        self.0 = left;
        Ok(taken)
    }

    /// The next `N` bytes, part of `field`.
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], ParseError> {
        let (taken, left) = self.0.split_first_chunk().ok_or(ParseError::Truncated(field))?;
        self.0 = left;
        Ok(*taken)
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Nothing may be left.
    pub fn end(self) -> Result<(), ParseError> {
        if self.0.is_empty() { Ok(()) } else { Err(ParseError::Trailing(self.0.len())) }
    }
}

/// A buffer, known to be long enough, that fills from the front.
pub(super) struct Writer<'a> {
    buffer: &'a mut [u8],
    filled: usize,
}

impl<'a> Writer<'a> {
    /// Begins at the front of `buffer`.
    pub fn new(buffer: &'a mut [u8]) -> Self {
        Writer { buffer, filled: 0 }
    }

    /// Appends one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes(&[byte]);
    }

    /// Appends `bytes`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.space(bytes.len()).copy_from_slice(bytes);
    }

    /// The next `count` bytes, to be filled by the caller.
    pub fn space(&mut self, count: usize) -> &mut [u8] {
        let start = self.filled;
        self.filled += count;
        &mut self.buffer[start..self.filled]
    }

    /// What has been written.
    pub fn written(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }
}
