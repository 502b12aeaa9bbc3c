//! Fields of a message that may be cut, and the lengths of ASN.1.

/// A big-endian field.
pub fn be16(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*octets.get(at..)?.first_chunk()?))
}

/// A big-endian field.
pub fn be32(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*octets.get(at..)?.first_chunk()?))
}

/// A little-endian field.
pub fn le16(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

/// A little-endian field.
pub fn le32(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

/// A little-endian field.
pub fn le64(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

/// An element in the basic encoding of ASN.1 (X.690, 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its identifier octet.
    pub tag: u8,
    /// Where its contents begin.
    pub contents: usize,
    /// Octets of its contents.
    pub length: usize,
}

impl Element {
    /// The element at the beginning of `octets`, which may lack its end; `None` of a tag or length that does not fit into a
    /// message.
    pub fn of(octets: &[u8]) -> Option<Element> {
        const LONG: u8 = 0x80;
        let &[tag, first] = octets.first_chunk()?;
        if first < LONG {
            return Some(Element { tag, contents: 2, length: first.into() });
        }
        let count = usize::from(first - LONG);
        if count == 0 || count > 4 {
            return None;
        }
        let length = octets.get(2..2 + count)?.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
        Some(Element { tag, contents: 2 + count, length })
    }

    /// Octets of the element with its identifier and length.
    pub fn end(&self) -> usize {
        self.contents + self.length
    }

    /// Its contents as far as `octets` hold them.
    pub fn within<'a>(&self, octets: &'a [u8]) -> &'a [u8] {
        let end = self.end().min(octets.len());
        octets.get(self.contents..end).unwrap_or(&[])
    }

    /// The number of an element of up to eight octets, as its octets are.
    pub fn number(&self, octets: &[u8]) -> Option<u64> {
        let contents = octets.get(self.contents..self.end())?;
        (contents.len() <= 8).then(|| contents.iter().fold(0, |number, octet| number << 8 | u64::from(*octet)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short_or_long_and_an_indefinite_one_is_none() {
        assert_eq!(Element::of(&[2, 1, 7]), Some(Element { tag: 2, contents: 2, length: 1 }));
        assert_eq!(Element::of(&[0x30, 0x82, 1, 4]), Some(Element { tag: 0x30, contents: 4, length: 260 }));
        assert_eq!((Element::of(&[0x30, 0x80, 0, 0]), Element::of(&[0x30, 0x82, 1])), (None, None));
        assert_eq!(Element::of(&[2, 2, 1, 2]).unwrap().number(&[2, 2, 1, 2]), Some(258));
    }
}
