//! What must hold for any bytes at all: called by the fuzz target and by the test that runs its corpus.

use super::{Fault, Packet, SHORTEST, TAG, TAGGED};
use crate::authentication::Key;

/// Any bytes give a packet or a fault, and before their tag is right no other fault than that; with the tag they should
/// have, a packet that was read survives the way there and back.
pub fn packet(bytes: &[u8]) {
    let key = Key::new(b"fuzz");
    let untagged = Packet::parse(&key, bytes);
    if bytes.len() < usize::from(SHORTEST) {
        return assert_eq!(untagged, Err(Fault::Short(bytes.len())));
    }
    let mut bytes = bytes.to_vec();
    let tag = key.tag(&[&bytes[..TAG.start], &bytes[TAG.end..bytes.len().min(TAGGED)]]);
    if bytes[TAG] != tag {
        assert_eq!(untagged, Err(Fault::Unauthenticated));
    }
    bytes[TAG].copy_from_slice(&tag);
    let Ok(packet) = Packet::parse(&key, &bytes) else { return };
    let mut written = Vec::new();
    packet.emit(&key, bytes.len() as u16, &mut written);
    assert_eq!(written.len(), bytes.len());
    assert_eq!(Packet::parse(&key, &written), Ok(packet));
}
