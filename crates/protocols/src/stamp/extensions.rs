//! What may stand behind a test packet: TLVs (RFC 8972 section 4), or any octets as padding.

/// U: the reflector does not know the type.
const UNRECOGNIZED: u8 = 0x80;
/// M: the TLV is longer than what is left.
const MALFORMED: u8 = 0x40;
/// Flags, type and length.
const HEADER_LENGTH: usize = 4;
/// Extra Padding.
const PADDING: u8 = 1;

/// The octets behind a test packet, not looked at yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions<'a>(pub &'a [u8]);

/// One TLV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// The reflector did not know its type.
    pub unrecognized: bool,
    /// The reflector found its length wrong.
    pub malformed: bool,
    /// Its type, as IANA assigned it.
    pub kind: u8,
    /// Its value.
    pub value: &'a [u8],
}

impl<'a> Extensions<'a> {
    /// Its TLVs as far as they are whole.
    pub fn iter(self) -> impl Iterator<Item = Extension<'a>> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (flags, length) = header(rest)?;
            let value = rest.get(HEADER_LENGTH..length)?;
            let extension = Extension {
                unrecognized: flags & UNRECOGNIZED != 0,
                malformed: flags & MALFORMED != 0,
                kind: rest[1],
                value,
            };
            rest = &rest[length..];
            Some(extension)
        })
    }

    /// Appends them to a reply, octet by octet, each with the flags that the reflector sets. From a TLV that is cut
    /// short on, nothing is looked at.
    pub fn reflect(self, reply: &mut Vec<u8>) {
        let start = reply.len();
        reply.extend_from_slice(self.0);
        let mut rest = &mut reply[start..];
        while let Some((_, length)) = header(rest) {
            let cut = length > rest.len();
            let unrecognized = if rest[1] == PADDING { 0 } else { UNRECOGNIZED };
            rest[0] = if cut { unrecognized | MALFORMED } else { unrecognized };
            if cut {
                return;
            }
            rest = &mut rest[length..];
        }
    }
}

/// Brings a probe to a length by Extra Padding; what has no room for a TLV is filled with zeros.
pub fn pad(probe: &mut Vec<u8>, octets: usize) {
    let missing = octets.saturating_sub(probe.len());
    if let Some(length) = missing.checked_sub(HEADER_LENGTH) {
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        probe.extend([UNRECOGNIZED, PADDING]);
        probe.extend(length.to_be_bytes());
    }
    probe.resize(probe.len().max(octets), 0);
}

/// Flags and whole length of the first TLV, where one begins.
fn header(bytes: &[u8]) -> Option<(u8, usize)> {
    let [flags, _, high, low] = *bytes.first_chunk::<HEADER_LENGTH>()?;
    Some((flags, HEADER_LENGTH + usize::from(u16::from_be_bytes([high, low]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reflected(bytes: &[u8]) -> Vec<u8> {
        let mut reply = vec![9];
        Extensions(bytes).reflect(&mut reply);
        assert_eq!(reply.remove(0), 9, "what was there stays");
        reply
    }

    #[test]
    fn a_padded_probe_is_as_long_as_asked_and_its_padding_one_tlv() {
        for octets in 40..60 {
            let mut probe = vec![7; 44];
            pad(&mut probe, octets);
            assert_eq!(probe.len(), octets.max(44));
            let lengths: Vec<usize> = Extensions(&probe[44..]).iter().map(|padding| padding.value.len()).collect();
            let expected: Vec<usize> = octets.checked_sub(48).into_iter().collect();
            assert_eq!(lengths, expected);
        }
    }

    #[test]
    fn padding_comes_back_recognized_and_all_else_unrecognized() {
        let sent = [0x80, 1, 0, 2, 7, 7, 0x80, 4, 0, 0];
        assert_eq!(reflected(&sent), [0, 1, 0, 2, 7, 7, 0x80, 4, 0, 0]);
    }

    #[test]
    fn a_tlv_that_is_cut_short_comes_back_malformed_and_as_long_as_it_was() {
        assert_eq!(reflected(&[0x80, 1, 0, 9, 1, 2]), [0x40, 1, 0, 9, 1, 2]);
        assert_eq!(reflected(&[0x80, 1, 0]), [0x80, 1, 0], "no TLV begins in three octets");
    }

    #[test]
    fn the_tlvs_of_a_reply_are_read_as_far_as_they_are_whole() {
        let bytes = [0x80, 3, 0, 1, 5, 0x40, 1, 0, 9, 1];
        let found: Vec<_> = Extensions(&bytes).iter().collect();
        let first = Extension { unrecognized: true, malformed: false, kind: 3, value: &[5] };
        assert_eq!(found, [first]);
    }
}
