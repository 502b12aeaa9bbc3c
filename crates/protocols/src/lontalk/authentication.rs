//! The authentication algorithm of ISO/IEC 14908-1.

/// The authentication key shared by sender and receiver, 48 bits.
pub type Key = [u8; 6];

/// The reply to `challenge` for the message with APDU `apdu`.
///
/// A pass takes 48 bytes of the APDU, from its last to its first, padded with zeros; passes repeat until every byte is
/// taken.
pub fn reply(key: &Key, challenge: [u8; 8], apdu: &[u8]) -> [u8; 8] {
    let mut state = challenge;
    let mut bytes = apdu.iter().rev();
    loop {
        pass(&mut state, key, &mut bytes);
        if bytes.len() == 0 {
            return state;
        }
    }
}

/// Passes over an APDU of `length` bytes, which determine the processing time on a slow CPU.
pub const fn passes(length: usize) -> usize {
    if length == 0 { 1 } else { length.div_ceil(48) }
}

fn pass<'a>(state: &mut [u8; 8], key: &Key, bytes: &mut impl Iterator<Item = &'a u8>) {
    for key_byte in key {
        for j in (0..8usize).rev() {
            let message = bytes.next().copied().unwrap_or(0);
            let x = !state[j].wrapping_add(j as u8);
            let y = state[(j + 1) % 8];
            state[j] = if key_byte >> (7 - j) & 1 == 1 {
                y.wrapping_add(message).wrapping_add(x.rotate_left(1))
            } else {
                y.wrapping_add(message).wrapping_sub(x.rotate_right(1))
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: [u8; 8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
    const KEY: Key = [1, 2, 3, 4, 5, 6];

    #[test]
    fn the_transformation_gives_the_vectors_of_the_open_stack() {
        assert_eq!(reply(&KEY, CHALLENGE, &[0x80, 0x01, 0x55]), [0x4e, 0xb5, 0xe6, 0xf5, 0x7a, 0xa9, 0xc9, 0x2b]);
        assert_eq!(reply(&[0xff; 6], CHALLENGE, &[0x80, 0x01, 0x55]), [0x45, 0xe9, 0xb0, 0x24, 0x2c, 0x01, 0x8c, 0xd2]);
        let long: Vec<u8> = (0..60).collect();
        assert_eq!(reply(&KEY, CHALLENGE, &long), [0x5b, 0xc5, 0xee, 0x81, 0x23, 0x51, 0xb4, 0x96]);
    }

    #[test]
    fn forty_eight_bytes_take_one_pass_and_one_more_takes_two() {
        assert_eq!([0, 1, 48, 49, 96, 229].map(passes), [1, 1, 1, 2, 2, 5]);
    }
}
