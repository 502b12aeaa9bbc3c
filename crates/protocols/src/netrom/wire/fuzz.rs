//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use super::{Nodes, Packet};

/// Any octets parse to a packet or an error, and to a broadcast or an error; either encodes to exactly `length` octets
/// that parse to the same value.
pub fn information(bytes: &[u8]) {
    if let Ok(packet) = Packet::parse(bytes) {
        let written = packet.to_bytes();
        assert_eq!(written.len(), packet.length(), "the length is exact");
        assert_eq!(Packet::parse(&written), Ok(packet), "a packet survives a round trip");
    }
    if let Ok(nodes) = Nodes::parse(bytes) {
        let written = nodes.to_bytes();
        assert_eq!(written.len(), nodes.length(), "the length is exact");
        assert_eq!(Nodes::parse(&written), Ok(nodes), "a broadcast survives a round trip");
    }
}
