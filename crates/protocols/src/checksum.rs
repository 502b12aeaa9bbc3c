//! The Internet checksum: one's-complement sum of 16-bit words (RFC 1071).

/// Bytes summed at a time: four independent sums, so that the compiler can keep them in one vector.
const LANES: usize = 4;
const BLOCK: usize = LANES * 4;

/// The folded one's-complement sum of 16-bit big-endian words; an odd byte at the end is followed by a zero.
///
/// The sum is taken in the machine's own byte order and turned at the end: a one's-complement sum of swapped words
/// is the swapped sum (RFC 1071, section 2).
pub(crate) fn sum(bytes: &[u8]) -> u16 {
    let mut lanes = [0u64; LANES];
    let blocks = bytes.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(4)) {
            *lane += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
    let mut total: u64 = lanes.into_iter().map(|lane| (lane & 0xffff_ffff) + (lane >> 32)).sum();
    for pair in rest.chunks(2) {
        total += u64::from(u16::from_ne_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    }
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    u16::from_be(total as u16)
}

/// The checksum field, given the sum over a packet whose checksum field is zero.
pub(crate) fn complement(sum: u16) -> u16 {
    !sum
}

/// `sum` with the word `part` subtracted.
pub(crate) fn without(sum: u16, part: u16) -> u16 {
    let (difference, borrow) = sum.overflowing_sub(part);
    difference.wrapping_sub(u16::from(borrow))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum as RFC 1071 defines it, one word after the other.
    fn word_by_word(bytes: &[u8]) -> u16 {
        bytes.chunks(2).fold(0, |sum, pair| {
            let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
            let (sum, carry) = sum.overflowing_add(word);
            sum + u16::from(carry)
        })
    }

    #[test]
    fn the_example_of_rfc_1071_gives_the_published_sum() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
        assert_eq!(complement(0xddf2), 0x220d);
    }

    #[test]
    fn sums_of_every_length_equal_the_word_by_word_sum() {
        let bytes: Vec<u8> = (0..700u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in 0..bytes.len() {
            assert_eq!(sum(&bytes[..length]), word_by_word(&bytes[..length]), "{length} bytes");
        }
        let ones = vec![0xff; 100_000];
        assert_eq!(sum(&ones), 0xffff);
    }
}
