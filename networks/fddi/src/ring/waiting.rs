//! A bitmap of the MACs that have frames: finds the next one along the ring a word at a time.

/// A set of MACs.
#[derive(Clone, Debug)]
pub(super) struct Waiting(Vec<u64>);

impl Waiting {
    pub fn new(macs: usize) -> Self {
        Waiting(vec![0; macs.div_ceil(64)])
    }

    /// Adds `mac`; whether it was not there.
    pub fn insert(&mut self, mac: u32) -> bool {
        let (word, bit) = place(mac);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub fn remove(&mut self, mac: u32) {
        let (word, bit) = place(mac);
        self.0[word] &= !bit;
    }

    /// The first from `mac` to the last MAC.
    pub fn next_from(&self, mac: u32) -> Option<u32> {
        let (first, bit) = place(mac);
        let head = self.0.get(first)? & !(bit - 1);
        let words = std::iter::once(head).chain(self.0[first + 1..].iter().copied());
        let (word, bits) = (first as u32..).zip(words).find(|&(_, bits)| bits != 0)?;
        Some(word * 64 + bits.trailing_zeros())
    }
}

fn place(mac: u32) -> (usize, u64) {
    (mac as usize / 64, 1 << (mac % 64))
}
