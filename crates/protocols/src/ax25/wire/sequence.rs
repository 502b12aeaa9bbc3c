//! Sequence numbers and sets of them.

/// The modulus of sequence numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modulo {
    /// Modulo 8: three bits, one octet of control field.
    #[default]
    Eight,
    /// Modulo 128: seven bits, two octets of control field in I and S frames.
    OneHundredTwentyEight,
}

impl Modulo {
    /// The largest sequence number, and the bits it has.
    pub const fn largest(self) -> u8 {
        match self {
            Modulo::Eight => 7,
            Modulo::OneHundredTwentyEight => 127,
        }
    }

    /// `number + count` in the modulus.
    pub const fn after(self, number: u8, count: u8) -> u8 {
        number.wrapping_add(count) & self.largest()
    }

    /// `number - earlier` in the modulus.
    pub const fn distance(self, earlier: u8, number: u8) -> u8 {
        number.wrapping_sub(earlier) & self.largest()
    }
}

/// A set of sequence numbers, 0 to 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SequenceSet(u128);

impl SequenceSet {
    /// The set without members.
    pub const NONE: SequenceSet = SequenceSet(0);

    /// Adds a number; its highest bit is ignored.
    pub const fn insert(&mut self, number: u8) {
        self.0 |= 1 << (number & 127);
    }

    /// Removes a number; returns whether the set contained it.
    pub const fn remove(&mut self, number: u8) -> bool {
        let had = self.contains(number);
        self.0 &= !(1 << (number & 127));
        had
    }

    /// Whether the set contains a number.
    pub const fn contains(&self, number: u8) -> bool {
        self.0 >> (number & 127) & 1 != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// The number of members.
    pub const fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    /// The numbers in modular order, beginning at `start`.
    pub fn from_on(self, start: u8, modulo: Modulo) -> impl Iterator<Item = u8> {
        (0..=modulo.largest()).map(move |step| modulo.after(start, step)).filter(move |number| self.contains(*number))
    }
}
