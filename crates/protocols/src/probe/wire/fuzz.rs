//! Properties that hold for arbitrary bytes; called by the fuzz target and by the test over its corpus.

use super::{MIN_PACKET, Packet, ParseError, TAG, TAGGED};
use crate::authentication::Key;

/// Parses arbitrary bytes, first as given, which reports no error other than a tag mismatch, and then with a valid tag; a
/// parsed packet survives emitting and parsing.
pub fn packet(bytes: &[u8]) {
    let key = Key::new(b"fuzz");
    let untagged = Packet::parse(&key, bytes);
    if bytes.len() < usize::from(MIN_PACKET) {
        return assert_eq!(untagged, Err(ParseError::Short(bytes.len())));
    }
    let mut bytes = bytes.to_vec();
    let tag = key.tag(&[&bytes[..TAG.start], &bytes[TAG.end..bytes.len().min(TAGGED)]]);
    if bytes[TAG] != tag {
        assert_eq!(untagged, Err(ParseError::Unauthenticated));
    }
    bytes[TAG].copy_from_slice(&tag);
    let Ok(packet) = Packet::parse(&key, &bytes) else { return };
    let mut written = Vec::new();
    packet.emit(&key, bytes.len() as u16, &mut written);
    assert_eq!(written.len(), bytes.len());
    assert_eq!(Packet::parse(&key, &written), Ok(packet));
}
