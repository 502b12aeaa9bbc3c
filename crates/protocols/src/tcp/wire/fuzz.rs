//! Properties that hold for arbitrary bytes; called by the fuzz target and by the test over its corpus.

use super::Segment;
use crate::ip::{PseudoHeader, protocol};

/// Parses arbitrary bytes, as given and with a valid checksum, and requires a segment to survive emitting and parsing.
pub fn segment(bytes: &[u8]) {
    let pseudo = PseudoHeader::new([10, 0, 0, 1], [10, 0, 0, 2], protocol::TCP);
    let mut valid = bytes.to_vec();
    if let Some(checksum) = valid.get_mut(16..18) {
        checksum.fill(0);
        let checksum = pseudo.checksum(&valid);
        valid[16..18].copy_from_slice(&checksum.to_be_bytes());
    }
    for bytes in [bytes, &valid] {
        let Ok(segment) = Segment::parse(bytes, &pseudo) else { continue };
        let written = segment.to_bytes(&pseudo).expect("a parsed segment can be emitted");
        assert_eq!(written.len(), segment.length(), "length() is exact");
        assert_eq!(Segment::parse(&written, &pseudo), Ok(segment), "a segment survives the round trip");
    }
}
