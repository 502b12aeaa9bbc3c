//! What must hold for any bytes at all: called by the fuzz targets and by the tests that run their corpora.

use super::{Cell, CellHeader, Interface, PAYLOAD, Reassembler, Reassembly, ResourceManagement, aal5, hec};

/// Any bytes give a cell or an error, also with the HEC that belongs to them; a cell has bytes that give it again, and
/// so has the resource management it may carry.
pub fn cell(bytes: &[u8]) {
    let mut sound = bytes.to_vec();
    if let Some(&[a, b, c, d]) = bytes.first_chunk() {
        sound.get_mut(4).into_iter().for_each(|octet| *octet = hec([a, b, c, d]));
    }
    for octets in [bytes, &sound] {
        for interface in [Interface::User, Interface::Network] {
            let Ok(cell) = Cell::parse(octets, interface) else { continue };
            assert_eq!(cell.to_bytes(interface).expect("a cell that was read can be written")[..], *octets);
            resource_management(&cell.payload);
        }
    }
}

/// Any payload gives resource management or an error; what was read has bytes that give it again.
fn resource_management(payload: &[u8; PAYLOAD]) {
    if let Ok(read) = ResourceManagement::parse(payload) {
        assert_eq!(ResourceManagement::parse(&read.to_bytes()), Ok(read));
    }
}

/// Any bytes give a frame or an error, and a frame has bytes that give it again. Any cells leave a reassembler that
/// reads the next packet.
pub fn aal5(bytes: &[u8]) {
    if let Ok(frame) = aal5::Frame::parse(bytes) {
        let again = frame.to_bytes().expect("a frame that was read can be written");
        assert_eq!(aal5::Frame::parse(&again), Ok(frame));
    }
    let mut reassembler = Reassembler::new(1000);
    for cell in bytes.chunks_exact(5 + PAYLOAD) {
        let Some((&[a, b, c, d, _], payload)) = cell.split_first_chunk() else { continue };
        let last = CellHeader::parse_without_hec([a, b, c, d], Interface::User).payload_type.bits() & 1 != 0;
        reassembler.take(payload.try_into().expect("48 octets follow 5 of 53"), last);
    }
    reassembler.take(&[0; PAYLOAD], true);
    let sound = aal5::to_bytes(b"sound").expect("a short packet fits");
    let (only, _) = sound.split_first_chunk().expect("it fills one cell");
    assert_eq!(reassembler.take(only, true), Reassembly::Packet(b"sound"));
}
