//! The reorder buffer: I frames received out of sequence, kept until the missing ones arrive (SREJ).

use std::collections::VecDeque;

use crate::ax25::wire::{Modulo, Pid, SequenceSet};

/// Frames after V(R). While there are any, V(R) itself is missing.
#[derive(Clone, Debug)]
pub(super) struct ReorderBuffer<D> {
    /// From V(R) + 1 on; the last is never missing.
    frames: VecDeque<Option<(Pid, D)>>,
    /// Missing frames that have been requested.
    requested: SequenceSet,
}

impl<D> ReorderBuffer<D> {
    pub fn new() -> Self {
        ReorderBuffer { frames: VecDeque::new(), requested: SequenceSet::NONE }
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.requested = SequenceSet::NONE;
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Keeps the frame `offset` after V(R), at least 1; returns whether it was missing.
    pub fn insert(&mut self, offset: u8, pid: Pid, data: D) -> bool {
        let index = usize::from(offset) - 1;
        while self.frames.len() <= index {
            self.frames.push_back(None);
        }
        self.frames[index].replace((pid, data)).is_none()
    }

    /// V(R) advances past `number`, which has arrived; returns the next frame if it is buffered.
    pub fn advance(&mut self, number: u8) -> Option<(Pid, D)> {
        self.requested.remove(number);
        self.frames.pop_front().flatten()
    }

    /// The missing frames, from V(R) on.
    pub fn missing(&self, v_r: u8, modulo: Modulo) -> SequenceSet {
        let mut missing = SequenceSet::NONE;
        if !self.frames.is_empty() {
            missing.insert(v_r);
        }
        for (offset, frame) in (1..).zip(&self.frames) {
            if frame.is_none() {
                missing.insert(modulo.after(v_r, offset));
            }
        }
        missing
    }

    /// The missing frames that have not been requested.
    pub fn not_requested(&self, v_r: u8, modulo: Modulo) -> SequenceSet {
        let mut missing = self.missing(v_r, modulo);
        self.requested.from_on(0, Modulo::OneHundredTwentyEight).for_each(|number| _ = missing.remove(number));
        missing
    }

    /// Records that these frames have been requested.
    pub fn note_requested(&mut self, numbers: SequenceSet) {
        numbers.from_on(0, Modulo::OneHundredTwentyEight).for_each(|number| self.requested.insert(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(set: SequenceSet) -> Vec<u8> {
        set.from_on(6, Modulo::Eight).collect()
    }

    #[test]
    fn a_missing_frame_is_requested_once() {
        let mut reorder = ReorderBuffer::new();
        assert!(reorder.insert(3, Pid::NONE, 'd'));
        assert!(!reorder.insert(3, Pid::NONE, 'd'));
        assert_eq!(list(reorder.missing(6, Modulo::Eight)), [6, 7, 0]);
        reorder.note_requested(reorder.missing(6, Modulo::Eight));
        assert!(reorder.insert(5, Pid::NONE, 'f'));
        assert_eq!(list(reorder.not_requested(6, Modulo::Eight)), [2]);
    }

    #[test]
    fn buffered_frames_follow_the_missing_one_up_to_the_next_gap() {
        let mut reorder = ReorderBuffer::new();
        reorder.insert(1, Pid::NONE, 'b');
        reorder.insert(3, Pid::NONE, 'd');
        assert_eq!(reorder.advance(6), Some((Pid::NONE, 'b')));
        assert_eq!(reorder.advance(7), None);
        assert_eq!(list(reorder.missing(0, Modulo::Eight)), [0]);
        assert_eq!(reorder.advance(0), Some((Pid::NONE, 'd')));
        assert_eq!(reorder.advance(1), None);
        assert!(reorder.is_empty());
    }
}
