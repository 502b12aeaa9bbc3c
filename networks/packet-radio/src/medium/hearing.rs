//! Which members hear each other, one bit per pair.

/// Which members hear each other; none hears itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hearing {
    members: u32,
    /// A row for each listener, a column for each sender.
    heard: Bits,
}

impl Hearing {
    /// Each of `members` hears all others.
    pub fn all(members: u32) -> Self {
        let mut hearing = Hearing::none(members);
        for listener in 0..members {
            (0..members).for_each(|sender| hearing.allow(listener, sender));
        }
        hearing
    }

    /// None of `members` hears another.
    pub fn none(members: u32) -> Self {
        Hearing { members, heard: Bits::new(members, members) }
    }

    /// Number of members.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// `listener` hears `sender`; no effect if they are the same.
    pub fn allow(&mut self, listener: u32, sender: u32) {
        self.heard.set(listener, sender, listener != sender);
    }

    /// `sender` is hidden from `listener`.
    pub fn hide(&mut self, listener: u32, sender: u32) {
        self.heard.set(listener, sender, false);
    }

    /// Whether `listener` hears `sender`.
    #[inline]
    pub fn hears(&self, listener: u32, sender: u32) -> bool {
        self.heard.get(listener, sender)
    }

    /// Whether two listeners hear the same other members.
    pub(super) fn hear_alike(&self, one: u32, other: u32) -> bool {
        self.heard.equal_except(one, other)
    }
}

/// A matrix of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    words_per_row: usize,
    words: Vec<u64>,
}

impl Bits {
    pub fn new(rows: u32, columns: u32) -> Self {
        let words_per_row = (columns as usize).div_ceil(64);
        Bits { words_per_row, words: vec![0; rows as usize * words_per_row] }
    }

    #[inline]
    pub fn get(&self, row: u32, column: u32) -> bool {
        let (word, bit) = self.place(row, column);
        self.words[word] >> bit & 1 != 0
    }

    pub fn set(&mut self, row: u32, column: u32, value: bool) {
        let (word, bit) = self.place(row, column);
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(value) << bit;
    }

    /// The columns set in `row`, in order.
    pub fn ones(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        self.row(row).iter().zip(0..).flat_map(|(&word, place)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(64 * place + bit)
            })
        })
    }

    /// Whether two rows are equal except in the columns of the same numbers.
    fn equal_except(&self, one: u32, other: u32) -> bool {
        let hidden = |place: u32, number: u32| if number / 64 == place { 1 << (number % 64) } else { 0 };
        let mut words = self.row(one).iter().zip(self.row(other)).zip(0..);
        words.all(|((a, b), place)| (a ^ b) & !hidden(place, one) & !hidden(place, other) == 0)
    }

    fn row(&self, row: u32) -> &[u64] {
        &self.words[row as usize * self.words_per_row..][..self.words_per_row]
    }

    #[inline]
    fn place(&self, row: u32, column: u32) -> (usize, u32) {
        (row as usize * self.words_per_row + column as usize / 64, column % 64)
    }
}
