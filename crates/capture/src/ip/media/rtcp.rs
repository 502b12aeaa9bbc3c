//! Reports of senders and receivers (RTCP, RFC 3550, 6.4).

const SENDER_REPORT: u8 = 200;
const RECEIVER_REPORT: u8 = 201;
/// Types of packets that RTCP has (IANA).
const TYPES: std::ops::RangeInclusive<u8> = 192..=213;
/// Octets of a header with its source, of the sender's information, and of one report on a source.
const HEADER: usize = 8;
const SENDER: usize = 20;
const BLOCK: usize = 24;

/// What a compound packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A sender states the time of its clock.
    Sender {
        /// Its source.
        source: u32,
        /// The middle 32 bits of its NTP timestamp, by which receivers refer to the report.
        middle: u32,
    },
    /// What one receives of a source.
    Received(Block),
}

/// A report on a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The source.
    pub source: u32,
    /// Packets lost since the beginning; negative if more came than were sent, as copies.
    pub lost: i32,
    /// The highest sequence number received, with its cycles.
    pub highest: u32,
    /// Interarrival jitter in ticks of the payload's clock.
    pub jitter: u32,
    /// The middle of the last sender's report; 0 before the first.
    pub last_report: u32,
    /// Time between its arrival and this report, in 1/65 536 s.
    pub delay: u32,
}

/// Whether a datagram of `length` octets is a compound packet: it begins with a report, and the lengths of its packets fill it
/// (RFC 3550, A.2), as far as it was captured.
pub fn is_compound(octets: &[u8], length: u32) -> bool {
    let is_report = |first: &[u8]| matches!(first, [_, SENDER_REPORT | RECEIVER_REPORT, ..]);
    if !is_report(octets) {
        return false;
    }
    let (mut rest, mut left) = (octets, length as usize);
    loop {
        let Some((&[first, kind, high, low], _)) = rest.split_first_chunk() else { return rest.len() < left };
        let packet = 4 * (1 + usize::from(u16::from_be_bytes([high, low])));
        if first >> 6 != 2 || !TYPES.contains(&kind) || packet > left {
            return false;
        }
        left -= packet;
        rest = rest.get(packet..).unwrap_or_default();
        if left == 0 {
            return true;
        }
    }
}

/// Visits what the reports in a compound packet say, as far as they were captured.
pub fn items(octets: &[u8], mut visit: impl FnMut(Item)) {
    let mut rest = octets;
    while let Some((&[first, kind, high, low, a, b, c, d], _)) = rest.split_first_chunk::<HEADER>() {
        let length = 4 * (1 + usize::from(u16::from_be_bytes([high, low])));
        let packet = &rest[..length.min(rest.len())];
        let source = u32::from_be_bytes([a, b, c, d]);
        let mut blocks = packet.get(HEADER..).unwrap_or_default();
        if kind == SENDER_REPORT {
            if let Some(middle) = word(blocks, 2).and_then(|_| blocks.get(2..6)) {
                visit(Item::Sender {
                    source,
                    middle: middle.iter().fold(0, |sum, octet| sum << 8 | u32::from(*octet)),
                });
            }
            blocks = blocks.get(SENDER..).unwrap_or_default();
        }
        if matches!(kind, SENDER_REPORT | RECEIVER_REPORT) {
            blocks.chunks_exact(BLOCK).take(usize::from(first & 0x1f)).filter_map(block).for_each(&mut visit);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

fn block(octets: &[u8]) -> Option<Item> {
    // 24 bits with a sign
    let lost = (word(octets, 4)? << 8).cast_signed() >> 8;
    Some(Item::Received(Block {
        source: word(octets, 0)?,
        lost,
        highest: word(octets, 8)?,
        jitter: word(octets, 12)?,
        last_report: word(octets, 16)?,
        delay: word(octets, 20)?,
    }))
}

fn word(octets: &[u8], at: usize) -> Option<u32> {
    octets.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender's report with one report on a source, and a description.
    fn compound() -> Vec<u8> {
        let words: [u32; 13] = [
            0x81c8_000c,
            7,
            0x1111_2222,
            0x3333_4444,
            160,
            10,
            1600,
            // on source 9: a quarter lost, 5 in all
            9,
            0x4000_0005,
            0x0001_0010,
            80,
            0xaaaa_bbbb,
            0x0001_8000,
        ];
        let mut packet: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        packet.extend([0x81, 202, 0, 2, 0, 0, 0, 7, 1, 2, b'a', b'b']);
        packet
    }

    #[test]
    fn a_compound_packet_says_what_its_sender_sends_and_receives() {
        let packet = compound();
        assert!(is_compound(&packet, packet.len() as u32));
        let mut found = Vec::new();
        items(&packet, |item| found.push(item));
        let block =
            Block { source: 9, lost: 5, highest: 0x1_0010, jitter: 80, last_report: 0xaaaa_bbbb, delay: 0x1_8000 };
        assert_eq!(found, [Item::Sender { source: 7, middle: 0x2222_3333 }, Item::Received(block)]);
    }

    #[test]
    fn lengths_that_do_not_fill_the_datagram_are_no_compound_packet() {
        let packet = compound();
        let length = packet.len() as u32;
        let encrypted = [&packet[..], &[0x80, 0, 0, 1]].concat();
        assert!(!is_compound(&encrypted, length + 4), "an index behind it");
        assert!(!is_compound(&packet, length - 4));
        assert!(is_compound(&packet[..40], length), "cut by the snap length");
        assert!(!is_compound(&packet[52..], 12), "a description alone");
        let mut count = 0;
        items(&packet[..40], |_| count += 1);
        assert_eq!(count, 1, "the report on the source is cut");
    }

    #[test]
    fn more_copies_than_losses_are_a_negative_number() {
        let mut packet = compound();
        packet[33..36].copy_from_slice(&[0xff, 0xff, 0xfe]);
        let mut lost = None;
        items(&packet, |item| {
            if let Item::Received(block) = item {
                lost = Some(block.lost);
            }
        });
        assert_eq!(lost, Some(-2));
    }
}
