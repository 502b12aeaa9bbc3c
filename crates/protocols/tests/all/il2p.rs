//! IL2P: the draft's example packets, every kind of frame, and every correctable error.

use proptest::prelude::*;
use sojourn_protocols::ax25::il2p::header::{Header, translated_octets};
use sojourn_protocols::ax25::il2p::{Fault, Receiver, Shape, encode, fuzz};
use sojourn_protocols::ax25::wire::{Body, Frame, Modulo, examples};
use sojourn_protocols::reed_solomon::Uncorrectable;

/// The draft's example packets: a frame of AX.25, and its packet with CRC from the header on (Example Encoded Packets).
const EXAMPLES: [(&str, &str); 3] = [
    ("96 82 64 88 8A AE E4 96 96 68 90 8A 94 6F 81", "26 57 4D 57 F1 D2 A8 F0 6A F2 7B AD 23 BD C0 7F 00 1D 2B"),
    ("86 A2 40 40 40 40 60 96 96 68 90 8A 94 FF 03 F0", "6A EA 9C C2 01 11 FC 14 1F DA 6E F2 53 91 BD 47 6C 54 54"),
    (
        "96 82 64 88 8A AE E4 96 96 68 90 8A 94 65 B8 CF 30 31 32 33 34 35 36 37 38",
        "26 13 6D 02 8C FE FB E8 AA 94 2D 6A 34 43 35 3C 69 9F 0C 75 5A 38 A1 7F A5 DA D8 F6 EA 57 37 3D B1 2A B0 DE 44 A8 20 \
         D0 1D 5A 2B 38",
    ),
];
/// Where a packet's first block begins, sync word included.
const FIRST_BLOCK: usize = 3 + 15;

fn octets(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).expect("hexadecimal")).collect()
}

fn received(packet: &[u8], has_crc: bool) -> Vec<Result<(Vec<u8>, usize), Fault>> {
    let mut receiver = Receiver::new(has_crc);
    let bits = packet.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 != 0));
    bits.filter_map(|bit| receiver.push(bit)).collect()
}

#[test]
fn the_draft_s_example_packets_are_reproduced_and_received() {
    for (frame, packet) in EXAMPLES {
        let (frame, packet) = (octets(frame), [&[0xf1, 0x5e, 0x48][..], &octets(packet)].concat());
        assert_eq!(encode(&frame, Modulo::Eight, true), Some(packet.clone()));
        let noise = [&[0x55, 0xaa, 0x12][..], &packet, &[0x55]].concat();
        assert_eq!(received(&noise, true), [Ok((frame, 0))]);
    }
}

fn modulo<D>(frame: &Frame<D>) -> Modulo {
    match frame.body {
        Body::I { modulo, .. } | Body::S { modulo, .. } => modulo,
        _ => Modulo::Eight,
    }
}

#[test]
fn every_kind_of_frame_comes_back_as_it_was_and_its_header_carries_what_it_can() {
    let mut translated = 0;
    for (name, frame) in examples() {
        let (octets, modulo) = (frame.to_bytes().unwrap(), modulo(&frame));
        let (header, payload) = Header::of(&octets, modulo);
        assert_eq!(octets.len() - payload.len(), translated_octets(&frame), "{name}");
        translated += u32::from(header != Header::Transparent);
        let packet = encode(&octets, modulo, false).expect("a short frame");
        let shape = Shape::new(payload.len(), false).expect("a short frame");
        assert_eq!(8 * packet.len() as u64, shape.bits(), "{name}");
        assert_eq!(received(&packet, false), [Ok((octets, 0))], "{name}");
    }
    assert!(translated > 10, "{translated}");
}

#[test]
fn blocks_are_of_nearly_equal_size_and_a_payload_of_more_than_1023_octets_has_none() {
    let blocks = |payload| Shape::new(payload, true).map(|shape| shape.blocks().collect::<Vec<_>>());
    assert_eq!([0, 239].map(blocks), [Some(vec![]), Some(vec![239])]);
    assert_eq!(blocks(240), Some(vec![120, 120]));
    assert_eq!(blocks(1023), Some(vec![205, 205, 205, 204, 204]));
    assert_eq!(blocks(1024), None);
    assert_eq!(encode(&[0x55; 1024], Modulo::Eight, false), None);
}

#[test]
fn a_sync_word_with_one_wrong_bit_is_one_and_one_with_two_is_not() {
    let (frame, _) = EXAMPLES[2];
    let mut packet = encode(&octets(frame), Modulo::Eight, true).expect("a short frame");
    packet[1] ^= 0x10;
    assert_eq!(received(&packet, true), [Ok((octets(frame), 0))]);
    packet[2] ^= 0x01;
    assert_eq!(received(&packet, true), []);
}

#[test]
fn a_header_with_two_wrong_octets_is_lost_and_a_crc_with_one_wrong_bit_in_each_octet_is_not() {
    let (frame, _) = EXAMPLES[0];
    let sent = encode(&octets(frame), Modulo::Eight, true).expect("a short frame");
    let mut packet = sent.clone();
    packet.iter_mut().rev().take(4).for_each(|octet| *octet ^= 0x08);
    assert_eq!(received(&packet, true), [Ok((octets(frame), 0))]);
    packet = sent;
    packet[5] ^= 0xff;
    assert_eq!(received(&packet, true), [Ok((octets(frame), 1))]);
    packet[9] ^= 0xff;
    assert!(matches!(received(&packet, true)[..], [] | [Err(_)]));
}

/// A frame, and what to change where.
fn damaged() -> impl Strategy<Value = (Vec<u8>, bool, Vec<(prop::sample::Index, u8)>)> {
    let frame = prop::collection::vec(any::<u8>(), 1..600);
    (frame, any::<bool>(), prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..20))
}

proptest! {
    #[test]
    fn eight_octets_of_a_block_may_be_wrong((frame, has_crc, damage) in damaged()) {
        let sent = encode(&frame, Modulo::Eight, has_crc).expect("a short frame");
        let block = 16 + Shape::new(frame.len(), has_crc).and_then(|shape| shape.blocks().next()).expect("a block");
        let mut packet = sent.clone();
        for (place, change) in damage.iter().take(8) {
            let at = FIRST_BLOCK + place.index(block);
            packet[at] = sent[at] ^ change;
        }
        let wrong = packet.iter().zip(&sent).filter(|(one, other)| one != other).count();
        prop_assert_eq!(received(&packet, has_crc), [Ok((frame, wrong))]);
    }

    #[test]
    fn with_a_crc_nothing_is_taken_for_another_frame((frame, _, damage) in damaged()) {
        let mut packet = encode(&frame, Modulo::Eight, true).expect("a short frame");
        let length = packet.len() - FIRST_BLOCK;
        for (place, change) in damage {
            packet[FIRST_BLOCK + place.index(length)] ^= change;
        }
        match &received(&packet, true)[..] {
            [Ok((found, _))] => prop_assert_eq!(found, &frame),
            [Err(Fault::Uncorrectable(Uncorrectable) | Fault::Crc)] | [] => {}
            found => prop_assert!(false, "{:?}", found),
        }
    }

    #[test]
    fn no_octets_panic_the_receiver_or_the_encoder(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz::octets(&bytes);
    }
}
