//! What must hold for any bytes at all: called by the fuzz target and by the test that runs its corpus.

use super::Segment;
use crate::ip::{PseudoHeader, protocol};

/// Any bytes give a segment or an error, also with the checksum that belongs to them; a segment has bytes that give it
/// again.
pub fn segment(bytes: &[u8]) {
    let pseudo = PseudoHeader::new([10, 0, 0, 1], [10, 0, 0, 2], protocol::TCP);
    let mut sound = bytes.to_vec();
    if let Some(checksum) = sound.get_mut(16..18) {
        checksum.fill(0);
        let checksum = pseudo.checksum(&sound);
        sound[16..18].copy_from_slice(&checksum.to_be_bytes());
    }
    for bytes in [bytes, &sound] {
        let Ok(segment) = Segment::parse(bytes, &pseudo) else { continue };
        let written = segment.to_bytes(&pseudo).expect("a segment that was read can be written");
        assert_eq!(written.len(), segment.length(), "the length is exact");
        assert_eq!(Segment::parse(&written, &pseudo), Ok(segment), "a segment survives the way there and back");
    }
}
