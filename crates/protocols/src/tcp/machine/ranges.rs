//! A set of positions, as ranges in order that do not touch.

use super::numbering::Position;

/// Ranges, each from its first position to the one after its last.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(Vec<(Position, Position)>);

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Position, Position)> + '_ {
        self.0.iter().copied()
    }

    /// How many positions there are.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(first, end)| end - first).sum()
    }

    /// Adds a range, joined with those that it touches.
    pub fn insert(&mut self, mut first: Position, mut end: Position) {
        if first >= end {
            return;
        }
        let from = self.0.partition_point(|&(_, other_end)| other_end < first);
        let to = self.0.partition_point(|&(other_first, _)| other_first <= end);
        if from < to {
            first = first.min(self.0[from].0);
            end = end.max(self.0[to - 1].1);
        }
        self.0.splice(from..to, [(first, end)]);
    }

    /// Takes away all that is below `position`.
    pub fn remove_below(&mut self, position: Position) {
        self.0.retain(|&(_, end)| end > position);
        if let Some((first, _)) = self.0.first_mut() {
            *first = position.max(*first);
        }
    }

    /// The end of the range that holds `position`, which is then taken away with all below it.
    pub fn take_from(&mut self, position: Position) -> Option<Position> {
        let &(first, end) = self.0.first()?;
        (first <= position && position < end).then(|| {
            self.0.remove(0);
            end
        })
    }

    /// The range that holds `position`.
    pub fn holding(&self, position: Position) -> Option<(Position, Position)> {
        self.iter().find(|&(first, end)| first <= position && position < end)
    }
}
