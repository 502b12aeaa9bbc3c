//! Stuff bits: after five equal bits one of the other value, which counts for the next five.
//!
//! A byte is looked up at once: by the value of the last bit and how many equal ones it ends, the table has the stuff bits that
//! the byte brings and the run that it leaves.

/// States: the last bit, and how many equal bits it ends, 1 to 4.
const STATES: usize = 8;

const fn state(bit: u8, run: u8) -> u8 {
    bit << 2 | (run - 1)
}

/// The state after another bit, and whether it was followed by a stuff bit.
const fn step(from: u8, bit: u8) -> (u8, u8) {
    let (last, run) = (from >> 2, (from & 3) + 1);
    match (last == bit, run) {
        (true, 4) => (state(1 - bit, 1), 1),
        (true, run) => (state(bit, run + 1), 0),
        (false, _) => (state(bit, 1), 0),
    }
}

/// By state and byte: the stuff bits that it brings, times eight, and the state after it.
const TABLE: [[u8; 256]; STATES] = {
    let mut table = [[0; 256]; STATES];
    let mut from = 0;
    while from < STATES {
        let mut byte = 0;
        while byte < 256 {
            let (mut at, mut count, mut bit) = (from as u8, 0, 8);
            while bit > 0 {
                bit -= 1;
                let (next, stuffed) = step(at, (byte >> bit & 1) as u8);
                at = next;
                count += stuffed;
            }
            table[from][byte] = count << 3 | at;
            byte += 1;
        }
        from += 1;
    }
    table
};

/// Counts the stuff bits of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct Stuffing {
    state: u8,
    count: u16,
}

impl Stuffing {
    /// Before the first bit: the bus is idle, recessive, and SOF is dominant.
    pub const fn new() -> Stuffing {
        Stuffing { state: state(1, 1), count: 0 }
    }

    /// The first `bits` bits of a frame, up to 64, the lowest of `word`. They are filled up in front to whole bytes with bits that
    /// alternate and so bring no stuff bit.
    #[inline]
    pub fn first(word: u64, bits: u32) -> Stuffing {
        let bytes = bits.div_ceil(8);
        let fill = 8 * bytes - bits;
        // ...0101, whose last bit differs from the dominant SOF; what stands before differs from its first
        let filled = if fill == 0 { word } else { word | (0x55 & ((1 << fill) - 1)) << bits };
        let before = if fill % 2 == 1 { 0 } else { 1 };
        let mut stuffing = Stuffing { state: state(before, 1), count: 0 };
        for byte in (0..bytes).rev() {
            stuffing.byte((filled >> (8 * byte)) as u8);
        }
        stuffing
    }

    /// The next bit.
    #[inline]
    pub fn bit(&mut self, bit: bool) {
        let (next, stuffed) = step(self.state, bit as u8);
        self.state = next;
        self.count += u16::from(stuffed);
    }

    /// The next eight bits, the highest first.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        let found = TABLE[usize::from(self.state & 7)][usize::from(byte)];
        self.state = found & 7;
        self.count += u16::from(found >> 3);
    }

    /// Stuff bits so far.
    pub const fn count(self) -> u16 {
        self.count
    }

    /// Whether the last bit, of this value, was followed by a stuff bit.
    pub const fn ends_stuffed(self, last: bool) -> bool {
        self.state >> 2 != last as u8
    }
}

impl Default for Stuffing {
    fn default() -> Self {
        Stuffing::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stuff_bit_counts_for_the_next_run() {
        // 00000 1 1111 0 0: five zeros, a stuff bit of 1 which with four ones is a run of five
        let mut stuffing = Stuffing::new();
        for bit in [0, 0, 0, 0, 0, 1, 1, 1, 1, 0] {
            stuffing.bit(bit == 1);
        }
        assert_eq!(stuffing.count(), 2);
        assert!(!stuffing.ends_stuffed(false));
    }

    #[test]
    fn a_beginning_of_any_length_is_counted_as_bit_by_bit() {
        for bits in 1..=40 {
            for word in [0u64, 0x55_5555_5555, 0x0f83_e0f8, 0x7c1f_07c1, 0x1f] {
                // it begins with a dominant SOF
                let word = word & ((1 << bits) - 1) >> 1;
                let mut one_by_one = Stuffing::new();
                (0..bits).rev().for_each(|bit| one_by_one.bit(word >> bit & 1 == 1));
                let at_once = Stuffing::first(word, bits);
                assert_eq!((at_once.count, at_once.state), (one_by_one.count, one_by_one.state), "{word:x}, {bits}");
            }
        }
    }
}
