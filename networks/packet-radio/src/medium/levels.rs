//! Signal levels of members at each other's receivers, and which of two carriers a receiver follows.

use std::cmp::Ordering;

/// The levels of a channel's members, in thousandths of a dB over a level that they share, and the capture ratio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    members: u32,
    /// The least difference by which a receiver follows the stronger of two carriers.
    ratio: i32,
    /// A row for each listener, a column for each sender.
    levels: Vec<i32>,
}

impl Levels {
    /// Members that are all received at the same level, 0 dB.
    pub fn equal(members: u32, ratio_millidecibels: i32) -> Self {
        let pairs = members as usize * members as usize;
        Levels { members, ratio: ratio_millidecibels, levels: vec![0; pairs] }
    }

    /// Number of members.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// `sender` is received at this level by `listener`.
    pub fn set(&mut self, listener: u32, sender: u32, millidecibels: i32) {
        let place = self.place(listener, sender);
        self.levels[place] = millidecibels;
    }

    /// Which of two carriers `listener` follows: the greater one captures its receiver. Equal where the difference is
    /// less than the capture ratio.
    pub(super) fn compare(&self, listener: u32, sender: u32, other: u32) -> Ordering {
        let [one, other] = [sender, other].map(|member| self.levels[self.place(listener, member)]);
        if (one - other).abs() < self.ratio { Ordering::Equal } else { one.cmp(&other) }
    }

    fn place(&self, listener: u32, sender: u32) -> usize {
        listener as usize * self.members as usize + sender as usize
    }
}
