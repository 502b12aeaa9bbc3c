//! Properties that hold for arbitrary bytes; called by the fuzz targets and by the tests over their corpora.

use super::{Cell, CellHeader, Interface, PAYLOAD_LENGTH, Reassembler, Reassembly, RmPayload, aal5, hec};

/// Parses arbitrary bytes, as given and with a valid HEC, and requires a cell and its RM payload to survive emitting and
/// parsing.
pub fn cell(bytes: &[u8]) {
    let mut valid = bytes.to_vec();
    if let Some(&[a, b, c, d]) = bytes.first_chunk() {
        valid.get_mut(4).into_iter().for_each(|octet| *octet = hec([a, b, c, d]));
    }
    for octets in [bytes, &valid] {
        for interface in [Interface::Uni, Interface::Nni] {
            let Ok(cell) = Cell::parse(octets, interface) else { continue };
            assert_eq!(cell.to_bytes(interface).expect("a parsed cell can be emitted")[..], *octets);
            rm_payload(&cell.payload);
        }
    }
}

/// Parses any payload as that of an RM cell, which must survive emitting and parsing.
fn rm_payload(payload: &[u8; PAYLOAD_LENGTH]) {
    if let Ok(parsed) = RmPayload::parse(payload) {
        assert_eq!(RmPayload::parse(&parsed.to_bytes()), Ok(parsed));
    }
}

/// Parses arbitrary bytes as an AAL5 frame, which must survive emitting and parsing. After arbitrary cells the
/// reassembler still accepts the next packet.
pub fn aal5(bytes: &[u8]) {
    if let Ok(frame) = aal5::Frame::parse(bytes) {
        let again = frame.to_bytes().expect("a parsed frame can be emitted");
        assert_eq!(aal5::Frame::parse(&again), Ok(frame));
    }
    let mut reassembler = Reassembler::new(1000);
    for cell in bytes.chunks_exact(5 + PAYLOAD_LENGTH) {
        let Some((&[a, b, c, d, _], payload)) = cell.split_first_chunk() else { continue };
        let last = CellHeader::parse_without_hec([a, b, c, d], Interface::Uni).payload_type.bits() & 1 != 0;
        reassembler.push(payload.try_into().expect("48 octets follow 5 of 53"), last);
    }
    reassembler.push(&[0; PAYLOAD_LENGTH], true);
    let valid = aal5::to_bytes(b"valid").expect("a short packet fits");
    let (only, _) = valid.split_first_chunk().expect("it fills one cell");
    assert_eq!(reassembler.push(only, true), Reassembly::Packet(b"valid"));
}
