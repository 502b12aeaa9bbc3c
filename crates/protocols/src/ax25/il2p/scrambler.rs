//! The packet-synchronized scrambler: x^9 + x^4 + 1, restarted from its initial state for each block.
//!
//! Its registers delay by nine bits; with the initial states of sender and receiver and the delay taken out, each bit is the sum of
//! the one four and the one nine before it on the channel, where ones stand before the block for the latter only.

/// Bits before a scrambled bit that are added to it.
const TAPS: [usize; 2] = [4, 9];

/// What is added to the bit at `place` of the scrambled bits so far.
fn added(channel: &[bool], place: usize) -> bool {
    let near = place >= TAPS[0] && channel[place - TAPS[0]];
    let far = if place >= TAPS[1] { channel[place - TAPS[1]] } else { place >= TAPS[0] };
    near ^ far
}

/// A block as it is on the channel.
pub fn scrambled(octets: &[u8]) -> Vec<u8> {
    let mut channel = Vec::with_capacity(8 * octets.len());
    for (place, bit) in bits(octets).enumerate() {
        channel.push(bit ^ added(&channel, place));
    }
    packed(channel.into_iter())
}

/// A block as it was.
pub fn descrambled(octets: &[u8]) -> Vec<u8> {
    let channel: Vec<bool> = bits(octets).collect();
    packed((0..channel.len()).map(|place| channel[place] ^ added(&channel, place)))
}

/// The bits of octets, the highest first.
fn bits(octets: &[u8]) -> impl Iterator<Item = bool> + '_ {
    octets.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 != 0))
}

fn packed(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut octets = Vec::new();
    for (place, bit) in bits.enumerate() {
        if place % 8 == 0 {
            octets.push(0);
        }
        if let Some(octet) = octets.last_mut() {
            *octet = *octet << 1 | u8::from(bit);
        }
    }
    octets
}
