//! Headers of RTP packets (RFC 3550, 5.1).

/// Octets of a header without contributing sources.
const FIXED: usize = 12;
/// Payload types that RTP leaves to RTCP where both share a port (RFC 5761, 4).
const RTCP: std::ops::RangeInclusive<u8> = 64..=95;

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is in the payload (RFC 3551).
    pub payload_type: u8,
    /// Of speech with pauses: whether a talkspurt begins.
    pub marker: bool,
    /// Sequence number.
    pub sequence: u16,
    /// Of the first sample, in ticks of the payload's clock.
    pub timestamp: u32,
    /// Synchronization source (SSRC).
    pub source: u32,
    /// Octets of payload behind the header, before the capture cut them, without padding.
    pub payload: u32,
}

impl Header {
    /// The header of a datagram of `length` octets, captured as `octets`; `None` if it is not a packet of RTP.
    pub fn parse(octets: &[u8], length: u32) -> Option<Header> {
        let &[first, second, s0, s1, t0, t1, t2, t3, a, b, c, d] = octets.first_chunk::<FIXED>()?;
        let payload_type = second & 0x7f;
        if first >> 6 != 2 || RTCP.contains(&payload_type) {
            return None;
        }
        let mut header = FIXED + 4 * usize::from(first & 0x0f);
        if first & 0x10 != 0 {
            let words = match octets.get(header + 2..header + 4) {
                Some(&[high, low]) => u16::from_be_bytes([high, low]),
                // cut by the snap length, perhaps
                _ => 0,
            };
            header += 4 + 4 * usize::from(words);
        }
        let padding = match octets.last() {
            Some(&padding) if first & 0x20 != 0 && octets.len() == length as usize => u32::from(padding),
            _ => 0,
        };
        let payload = length.checked_sub(header as u32)?.checked_sub(padding)?;
        Some(Header {
            payload_type,
            marker: second & 0x80 != 0,
            sequence: u16::from_be_bytes([s0, s1]),
            timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
            source: u32::from_be_bytes([a, b, c, d]),
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: [u8; 16] = [0x80, 0x88, 1, 2, 0, 0, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9];

    #[test]
    fn a_header_has_its_fields_and_the_octets_behind_it() {
        let header = Header::parse(&PACKET, 172).unwrap();
        assert_eq!((header.payload_type, header.marker, header.sequence), (8, true, 0x102));
        assert_eq!((header.timestamp, header.source, header.payload), (0x304, 0x0506_0708, 160));
    }

    #[test]
    fn contributing_sources_extensions_and_padding_are_no_payload() {
        let mut packet = PACKET.to_vec();
        packet[0] = 0xb1;
        // the source of 4 octets is there; the extension has one word
        packet.extend([0xbe, 0xde, 0, 1, 0, 0, 0, 0, 7, 7, 7, 7, 7, 0, 0, 3]);
        assert_eq!(Header::parse(&packet, packet.len() as u32).unwrap().payload, 5);
    }

    #[test]
    fn reports_other_versions_and_headers_longer_than_the_datagram_are_no_packets() {
        let with = |at: usize, octet: u8| {
            let mut packet = PACKET;
            packet[at] = octet;
            Header::parse(&packet, 16)
        };
        assert_eq!((with(0, 0x40), with(1, 200), with(1, 0x48), with(0, 0x8f)), (None, None, None, None));
        assert_eq!(Header::parse(&PACKET[..11], 172), None, "cut");
    }
}
