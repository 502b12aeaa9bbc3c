//! Sequential readers and writers of fields; numbers are big-endian.

use crate::limits::{Trailing, Truncated};

/// Reads fields from the front of the bytes that are left.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next `count` bytes, part of `field`.
    pub fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], Truncated> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(Truncated(field))?;
        self.0 = left;
        Ok(taken)
    }

    /// The next `N` bytes, part of `field`.
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Truncated> {
        let (taken, left) = self.0.split_first_chunk().ok_or(Truncated(field))?;
        self.0 = left;
        Ok(*taken)
    }

    /// The next byte.
    pub fn byte(&mut self, field: &'static str) -> Result<u8, Truncated> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    /// The next two bytes.
    pub fn u16(&mut self, field: &'static str) -> Result<u16, Truncated> {
        self.array(field).map(u16::from_be_bytes)
    }

    /// The next four bytes.
    pub fn u32(&mut self, field: &'static str) -> Result<u32, Truncated> {
        self.array(field).map(u32::from_be_bytes)
    }

    /// The next eight bytes.
    pub fn u64(&mut self, field: &'static str) -> Result<u64, Truncated> {
        self.array(field).map(u64::from_be_bytes)
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Fails unless all bytes have been read.
    pub fn end(&self) -> Result<(), Trailing> {
        if self.0.is_empty() { Ok(()) } else { Err(Trailing(self.0.len())) }
    }
}

/// Fills a buffer from the front; the caller ensures that it is long enough.
pub(crate) struct Writer<'a> {
    buffer: &'a mut [u8],
    filled: usize,
}

impl<'a> Writer<'a> {
    /// Begins at the front of `buffer`.
    pub fn new(buffer: &'a mut [u8]) -> Self {
        Writer { buffer, filled: 0 }
    }

    /// Appends `bytes`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.space(bytes.len()).copy_from_slice(bytes);
    }

    /// Appends one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes(&[byte]);
    }

    /// Appends two bytes.
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_be_bytes());
    }

    /// Appends four bytes.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_be_bytes());
    }

    /// Appends eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_be_bytes());
    }

    /// The next `count` bytes, to be filled by the caller.
    pub fn space(&mut self, count: usize) -> &mut [u8] {
        let start = self.filled;
        self.filled += count;
        &mut self.buffer[start..self.filled]
    }

    /// The bytes written so far.
    pub fn written(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }
}
