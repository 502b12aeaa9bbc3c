//! Extensions after a test packet: TLVs (RFC 8972, section 4), or arbitrary octets as padding.

/// U flag: the reflector does not recognize the type.
const UNRECOGNIZED: u8 = 0x80;
/// M flag: the TLV exceeds the packet.
const MALFORMED: u8 = 0x40;
/// Length of flags, type and length fields, octets.
const HEADER_LENGTH: usize = 4;
/// Type of the Extra Padding TLV (RFC 8972, section 4.1).
const PADDING: u8 = 1;

/// The octets after a test packet, not parsed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions<'a>(pub &'a [u8]);

/// A TLV (RFC 8972, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// U flag: the reflector did not recognize its type.
    pub unrecognized: bool,
    /// M flag: the reflector found its length invalid.
    pub malformed: bool,
    /// Type assigned by IANA.
    pub kind: u8,
    /// Value field of the TLV.
    pub value: &'a [u8],
}

impl<'a> Extensions<'a> {
    /// The complete TLVs, up to the first truncated one.
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

    /// Appends the extensions to a reply, octet by octet, each with the flags that the reflector sets. Octets from a
    /// truncated TLV on are copied unchanged.
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

/// Extends a probe to a length by an Extra Padding TLV, or by zeros if there is no space for a TLV.
pub fn pad(probe: &mut Vec<u8>, octets: usize) {
    let missing = octets.saturating_sub(probe.len());
    if let Some(length) = missing.checked_sub(HEADER_LENGTH) {
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        probe.extend([UNRECOGNIZED, PADDING]);
        probe.extend(length.to_be_bytes());
    }
    probe.resize(probe.len().max(octets), 0);
}

/// Flags and total length of the first TLV, if any.
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
    fn a_padded_probe_has_the_requested_length_and_one_padding_tlv() {
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
    fn padding_is_reflected_as_recognized_and_all_else_as_unrecognized() {
        let sent = [0x80, 1, 0, 2, 7, 7, 0x80, 4, 0, 0];
        assert_eq!(reflected(&sent), [0, 1, 0, 2, 7, 7, 0x80, 4, 0, 0]);
    }

    #[test]
    fn a_truncated_tlv_is_reflected_as_malformed_with_its_length() {
        assert_eq!(reflected(&[0x80, 1, 0, 9, 1, 2]), [0x40, 1, 0, 9, 1, 2]);
        assert_eq!(reflected(&[0x80, 1, 0]), [0x80, 1, 0], "no TLV begins in three octets");
    }

    #[test]
    fn the_complete_tlvs_of_a_reply_are_parsed() {
        let bytes = [0x80, 3, 0, 1, 5, 0x40, 1, 0, 9, 1];
        let found: Vec<_> = Extensions(&bytes).iter().collect();
        let first = Extension { unrecognized: true, malformed: false, kind: 3, value: &[5] };
        assert_eq!(found, [first]);
    }
}
