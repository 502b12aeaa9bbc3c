//! Properties that hold for any bytes, checked by the fuzz target and by the tests that run its corpus.

use super::{Packet, Sizing};

/// Any bytes give a packet or an error; a packet has bytes, of the length it says, that give the same packet.
///
/// The bytes are also read as if their checksum were right, so that it does not hide what lies behind it.
pub fn packet(bytes: &[u8]) {
    for packet in [Packet::parse(bytes), Packet::parse_without_checksum(bytes)].into_iter().flatten() {
        let written = packet.to_bytes().expect("a packet that was read can be written");
        assert_eq!(written.len(), packet.length(), "the length is exact");
        assert_eq!(written.len(), bytes.len(), "writing adds nothing and leaves nothing out");
        assert_eq!(Sizing::Xtp4.length(&packet), bytes.len());
        assert_eq!(Packet::parse(&written), Ok(packet), "a packet survives a round trip through its bytes");
    }
}
