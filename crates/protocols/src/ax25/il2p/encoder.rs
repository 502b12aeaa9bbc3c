//! Encodes a frame as an IL2P packet.

use super::blocks::{BLOCK_CHECK, HAMMING, HEADER_CHECK, SYNC_WORD, Shape, protect};
use super::header::Header;
use crate::ax25::hdlc::fcs;
use crate::ax25::wire::Modulo;

/// The octets of a frame without its FCS, from the sync word on; `None` if it is too long. `modulo` is that of its link.
pub fn encode(frame: &[u8], modulo: Modulo, has_crc: bool) -> Option<Vec<u8>> {
    let (header, payload) = Header::of(frame, modulo);
    let shape = Shape::new(payload.len(), has_crc)?;
    let mut packet = SYNC_WORD.to_be_bytes()[1..].to_vec();
    protect(&header.octets(payload.len()), HEADER_CHECK, &mut packet);
    let mut rest = payload;
    for block in shape.blocks() {
        let (octets, after) = rest.split_at(block);
        protect(octets, BLOCK_CHECK, &mut packet);
        rest = after;
    }
    if has_crc {
        let crc = fcs(frame);
        packet.extend([12, 8, 4, 0].map(|shift| HAMMING[usize::from(crc >> shift & 0xf)]));
    }
    Some(packet)
}
