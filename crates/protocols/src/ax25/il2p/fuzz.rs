//! Properties that hold for any octets.

use super::encoder::encode;
use super::receiver::Receiver;
use crate::ax25::wire::Modulo;

/// What must hold for any octets at all: called by the fuzz target and by the test that runs its corpus. No octets panic the
/// receiver or the encoder, and what the encoder takes apart comes together again.
pub fn octets(bytes: &[u8]) {
    for has_crc in [false, true] {
        let mut receiver = Receiver::new(has_crc);
        bytes.iter().for_each(|octet| (0..8).rev().for_each(|bit| drop(receiver.push(octet >> bit & 1 != 0))));
        for modulo in [Modulo::Eight, Modulo::OneHundredTwentyEight] {
            let Some(packet) = encode(bytes, modulo, has_crc) else { continue };
            let mut receiver = Receiver::new(has_crc);
            let bits = packet.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 != 0));
            let found = bits.filter_map(|bit| receiver.push(bit)).last();
            assert_eq!(found, Some(Ok((bytes.to_vec(), 0))), "a packet holds its frame");
        }
    }
}
