//! Properties that hold for any input, checked by the fuzz targets and by the test that runs their corpora.

use super::Packet;
use crate::lontalk::lonip::DataPacket;

/// Any bytes parse to a packet or an error; a packet encodes to exactly `length` bytes that parse to the same packet.
///
/// The bytes are also parsed with a correct CRC, so that the CRC check does not hide the rest of the parser.
pub fn lpdu(bytes: &[u8]) {
    for packet in [Packet::parse(bytes), Packet::parse_without_crc(bytes)].into_iter().flatten() {
        let written = packet.to_bytes().expect("a packet that was read can be written");
        assert_eq!(written.len(), packet.length(), "the length is exact");
        assert!(written.len() <= bytes.len() + 2, "writing adds nothing but the CRC");
        assert_eq!(Packet::parse(&written), Ok(packet), "a packet survives a round trip");
    }
}

/// Any bytes parse to a LON/IP data packet or an error; a data packet survives a round trip.
pub fn lonip(bytes: &[u8]) {
    let Ok(data) = DataPacket::parse(bytes) else { return };
    if let Ok(packet) = data.packet() {
        let mut written = Vec::new();
        data.emit(&mut written).expect("an LPDU that was read can be written");
        assert_eq!(DataPacket::parse(&written), Ok(data));
        assert!(packet.check().is_ok());
    }
}
