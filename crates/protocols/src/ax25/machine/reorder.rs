//! I frames that came before their turn, kept until the missing ones arrive (SREJ).

use std::collections::VecDeque;

use crate::ax25::wire::{Modulo, Pid, SequenceSet};

/// Frames after V(R). While there are any, V(R) itself is missing.
#[derive(Clone, Debug)]
pub(super) struct Reorder<D> {
    /// From V(R) + 1 on; the last is never missing.
    frames: VecDeque<Option<(Pid, D)>>,
    /// Missing frames that have been asked for.
    asked: SequenceSet,
}

impl<D> Reorder<D> {
    pub fn new() -> Self {
        Reorder { frames: VecDeque::new(), asked: SequenceSet::NONE }
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.asked = SequenceSet::NONE;
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Keeps the frame `offset` after V(R), at least 1; whether it was not there yet.
    pub fn keep(&mut self, offset: u8, pid: Pid, data: D) -> bool {
        let index = usize::from(offset) - 1;
        while self.frames.len() <= index {
            self.frames.push_back(None);
        }
        self.frames[index].replace((pid, data)).is_none()
    }

    /// V(R) moves on past `number`, which has arrived; the frame that is next, if it is here.
    pub fn advance(&mut self, number: u8) -> Option<(Pid, D)> {
        self.asked.remove(number);
        self.frames.pop_front().flatten()
    }

    /// What is missing, from V(R) on.
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

    /// What is missing and has not been asked for.
    pub fn not_asked(&self, v_r: u8, modulo: Modulo) -> SequenceSet {
        let mut missing = self.missing(v_r, modulo);
        self.asked.from_on(0, Modulo::OneHundredTwentyEight).for_each(|number| _ = missing.remove(number));
        missing
    }

    /// These have been asked for.
    pub fn note_asked(&mut self, numbers: SequenceSet) {
        numbers.from_on(0, Modulo::OneHundredTwentyEight).for_each(|number| self.asked.insert(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(set: SequenceSet) -> Vec<u8> {
        set.from_on(6, Modulo::Eight).collect()
    }

    #[test]
    fn what_is_missing_is_asked_for_once() {
        let mut reorder = Reorder::new();
        assert!(reorder.keep(3, Pid::NONE, 'd'));
        assert!(!reorder.keep(3, Pid::NONE, 'd'));
        assert_eq!(list(reorder.missing(6, Modulo::Eight)), [6, 7, 0]);
        reorder.note_asked(reorder.missing(6, Modulo::Eight));
        assert!(reorder.keep(5, Pid::NONE, 'f'));
        assert_eq!(list(reorder.not_asked(6, Modulo::Eight)), [2]);
    }

    #[test]
    fn kept_frames_follow_the_missing_one_up_to_the_next_gap() {
        let mut reorder = Reorder::new();
        reorder.keep(1, Pid::NONE, 'b');
        reorder.keep(3, Pid::NONE, 'd');
        assert_eq!(reorder.advance(6), Some((Pid::NONE, 'b')));
        assert_eq!(reorder.advance(7), None);
        assert_eq!(list(reorder.missing(0, Modulo::Eight)), [0]);
        assert_eq!(reorder.advance(0), Some((Pid::NONE, 'd')));
        assert_eq!(reorder.advance(1), None);
        assert!(reorder.is_empty());
    }
}
