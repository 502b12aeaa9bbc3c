//! Reading and writing octets from front to back.

use super::ParseError;

/// Octets not read yet.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next octet, which is the named field.
    pub fn byte(&mut self, field: &'static str) -> Result<u8, ParseError> {
        self.array::<1>(field).map(|[octet]| octet)
    }

    /// The next `N` octets, which are the named field.
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], ParseError> {
        let (taken, left) = self.0.split_first_chunk().ok_or(ParseError::Truncated(field))?;
        self.0 = left;
        Ok(*taken)
    }

    /// All octets that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
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

    /// Appends one octet.
    pub fn byte(&mut self, octet: u8) {
        self.bytes(&[octet]);
    }

    /// Appends octets.
    pub fn bytes(&mut self, octets: &[u8]) {
        self.space(octets.len()).copy_from_slice(octets);
    }

    /// The next `count` octets, to be filled by the caller.
    pub fn space(&mut self, count: usize) -> &mut [u8] {
        let start = self.filled;
        self.filled += count;
        &mut self.buffer[start..self.filled]
    }
}
