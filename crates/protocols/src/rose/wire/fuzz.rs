//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use super::Packet;

/// Any octets parse to a packet or an error; a packet encodes to exactly `length` octets that parse to the same packet.
pub fn packet(bytes: &[u8]) {
    let Ok(packet) = Packet::parse(bytes) else { return };
    let written = packet.to_bytes().expect("a packet that was read can be written");
    assert_eq!(written.len(), packet.length(), "the length is exact");
    assert_eq!(Packet::parse(&written), Ok(packet), "a packet survives a round trip");
}
