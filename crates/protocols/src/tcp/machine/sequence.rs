//! Positions in a sequence space, and sets of them.

/// Position in one direction of a connection: SYN is at 0, the first octet of data at 1, FIN after the last. Unlike
/// sequence numbers, positions never wrap.
pub(super) type Position = u64;

/// Position of the first octet of data.
pub(super) const FIRST: Position = 1;

/// Maps positions of one direction to sequence numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SequenceNumbers {
    /// Initial sequence number (ISS or IRS), that of SYN.
    pub initial: u32,
}

impl SequenceNumbers {
    /// The sequence number of a position.
    pub fn number(self, position: Position) -> u32 {
        self.initial.wrapping_add(position as u32)
    }

    /// The position with this sequence number nearest to `near`; `None` if it is before SYN.
    pub fn position(self, near: Position, number: u32) -> Option<Position> {
        let distance = number.wrapping_sub(self.number(near)) as i32;
        near.checked_add_signed(distance.into())
    }
}

/// A set of positions as sorted, disjoint ranges, each from its first position to the one after its last.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    ranges: Vec<(Position, Position)>,
    total: u64,
}

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Ranges::default();
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Position, Position)> + '_ {
        self.ranges.iter().copied()
    }

    /// Number of positions in the set.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Number of positions of the set in `from..to`.
    pub fn within(&self, from: Position, to: Position) -> u64 {
        let begin = self.ranges.partition_point(|&(_, end)| end <= from);
        let overlapping = self.ranges[begin..].iter().take_while(|&&(first, _)| first < to);
        overlapping.map(|&(first, end)| end.min(to) - first.max(from)).sum()
    }

    /// The first gap at or after `position` that a range follows, from its first position to the one after its last.
    pub fn gap(&self, position: Position) -> Option<(Position, Position)> {
        let behind = self.ranges.partition_point(|&(_, end)| end <= position);
        match self.ranges[behind..] {
            [(first, _), ..] if position < first => Some((position, first)),
            [(_, end), (next, _), ..] => Some((end, next)),
            _ => None,
        }
    }

    /// The first position at or after `position` that is not in the set, and the first one behind it that is.
    pub fn absent(&self, position: Position) -> (Position, Option<Position>) {
        let behind = self.ranges.partition_point(|&(_, end)| end <= position);
        match self.ranges[behind..] {
            [(first, _), ..] if position < first => (position, Some(first)),
            [(_, end), (next, _), ..] => (end, Some(next)),
            [(_, end)] => (end, None),
            [] => (position, None),
        }
    }

    /// Adds a range, merged with those that it touches.
    pub fn insert(&mut self, mut first: Position, mut end: Position) {
        if first >= end {
            return;
        }
        let from = self.ranges.partition_point(|&(_, other_end)| other_end < first);
        let to = self.ranges.partition_point(|&(other_first, _)| other_first <= end);
        if from < to {
            first = first.min(self.ranges[from].0);
            end = end.max(self.ranges[to - 1].1);
        }
        let joined: u64 = self.ranges[from..to].iter().map(|(first, end)| end - first).sum();
        self.total += end - first - joined;
        self.ranges.splice(from..to, [(first, end)]);
    }

    /// Removes all positions below `position`.
    pub fn remove_below(&mut self, position: Position) {
        let below = self.ranges.partition_point(|&(_, end)| end <= position);
        self.total -= self.ranges.drain(..below).map(|(first, end)| end - first).sum::<u64>();
        if let Some((first, _)) = self.ranges.first_mut()
            && *first < position
        {
            self.total -= position - *first;
            *first = position;
        }
    }

    /// If the first range contains `position`, removes it and returns its end.
    pub fn take_from(&mut self, position: Position) -> Option<Position> {
        let &(first, end) = self.ranges.first()?;
        (first <= position && position < end).then(|| {
            self.remove_below(end);
            end
        })
    }

    /// The range that contains `position`.
    pub fn range_of(&self, position: Position) -> Option<(Position, Position)> {
        let index = self.ranges.partition_point(|&(_, end)| end <= position);
        self.ranges.get(index).copied().filter(|&(first, _)| first <= position)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POSITIONS: u64 = 40;

    fn gap(present: &[bool], position: u64) -> Option<(u64, u64)> {
        let from = (position..POSITIONS).find(|&at| !present[at as usize])?;
        (from..POSITIONS).find(|&at| present[at as usize]).map(|end| (from, end))
    }

    proptest! {
        #[test]
        fn ranges_agree_with_a_set_of_positions(
            inserted in prop::collection::vec((0..POSITIONS, 0..6_u64), 0..20),
            below in 0..POSITIONS,
            (from, octets) in (0..POSITIONS, 0..POSITIONS),
        ) {
            let (mut ranges, mut present) = (Ranges::default(), vec![false; POSITIONS as usize]);
            for (first, octets) in inserted {
                let end = (first + octets).min(POSITIONS);
                ranges.insert(first, end);
                present[first as usize..end as usize].fill(true);
            }
            ranges.remove_below(below);
            present[..below as usize].fill(false);

            let to = (from + octets).min(POSITIONS);
            let held = |from: u64, to: u64| (from..to).filter(|&at| present[at as usize]).count() as u64;
            prop_assert_eq!(ranges.total(), held(0, POSITIONS));
            prop_assert_eq!(ranges.within(from, to), held(from, to));
            prop_assert_eq!(ranges.gap(from), gap(&present, from));
            let range = ranges.range_of(from);
            prop_assert_eq!(range.is_some(), present[from as usize]);
            prop_assert!(range.is_none_or(|(first, end)| held(first, end) == end - first));
            prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|((_, end), (next, _))| end < next));
        }
    }
}
