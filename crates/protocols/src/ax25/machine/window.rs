//! I frames that go out: kept until they are acknowledged, and sent as the window allows.

use std::collections::VecDeque;

use crate::ax25::wire::{Modulo, Pid, SequenceSet};

/// Information to be sent, the oldest not acknowledged first. V(A) numbers it, V(S) the next to go.
#[derive(Clone, Debug)]
pub(super) struct Window<D> {
    modulo: Modulo,
    v_a: u8,
    frames: VecDeque<Outgoing<D>>,
    /// V(S) - V(A).
    next: usize,
    /// Frames that have been sent at least once; not below `next`, which REJ and polls turn back.
    sent: usize,
    /// Frames that SREJ asks for.
    again: SequenceSet,
}

/// Information of one I frame.
#[derive(Clone, Debug)]
struct Outgoing<D> {
    pid: Pid,
    data: D,
    times: u8,
}

/// What an acknowledgement brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acknowledged {
    /// Frames.
    pub frames: u8,
    /// Whether each was sent once, so that the time they took is known.
    pub sent_once: bool,
}

/// An I frame to transmit now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Due<D> {
    /// N(S).
    pub number: u8,
    pub pid: Pid,
    pub data: D,
    /// Whether it has been sent before.
    pub repeated: bool,
}

impl<D: Clone> Window<D> {
    pub fn new() -> Self {
        let again = SequenceSet::NONE;
        Window { modulo: Modulo::Eight, v_a: 0, frames: VecDeque::new(), next: 0, sent: 0, again }
    }

    /// Counts from 0 again; what has not been sent stays.
    pub fn restart(&mut self, modulo: Modulo) {
        self.modulo = modulo;
        self.v_a = 0;
        self.next = 0;
        self.sent = 0;
        self.again = SequenceSet::NONE;
    }

    /// Drops everything; how many frames that were.
    pub fn clear(&mut self) -> u32 {
        let dropped = self.frames.len() as u32;
        self.frames.clear();
        self.restart(self.modulo);
        dropped
    }

    pub fn push(&mut self, pid: Pid, data: D) {
        self.frames.push_back(Outgoing { pid, data, times: 0 });
    }

    /// Frames sent or not, none of them acknowledged.
    pub fn backlog(&self) -> usize {
        self.frames.len()
    }

    /// Frames sent and not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.sent
    }

    /// V(S).
    pub fn v_s(&self) -> u8 {
        self.modulo.after(self.v_a, self.next as u8)
    }

    /// Whether N(R) acknowledges only what was sent: V(A) <= N(R) <= V(S), with V(S) as it was before any frame was
    /// asked for again, since an acknowledgement may cross the request on its way.
    pub fn accepts(&self, receive: u8) -> bool {
        usize::from(self.modulo.distance(self.v_a, receive)) <= self.sent
    }

    /// Everything before an acceptable N(R) has arrived.
    pub fn acknowledge(&mut self, receive: u8) -> Acknowledged {
        let frames = self.modulo.distance(self.v_a, receive);
        let count = usize::from(frames).min(self.sent);
        let sent_once = self.frames.drain(..count).all(|frame| frame.times == 1);
        (0..frames).for_each(|step| _ = self.again.remove(self.modulo.after(self.v_a, step)));
        self.v_a = receive;
        self.next = self.next.saturating_sub(count);
        self.sent -= count;
        Acknowledged { frames, sent_once }
    }

    /// V(S) goes back to V(A): everything not acknowledged is sent again.
    pub fn turn_back(&mut self) {
        self.next = 0;
        self.again = SequenceSet::NONE;
    }

    /// Frame `number` is sent again, if it has been sent and not acknowledged.
    pub fn repeat(&mut self, number: u8) {
        let offset = usize::from(self.modulo.distance(self.v_a, number));
        if offset < self.next {
            self.again.insert(number);
        }
    }

    /// Whether a frame asked for by SREJ waits.
    pub fn has_repeat(&self) -> bool {
        !self.again.is_empty()
    }

    /// Whether a frame may be sent with at most `limit` not acknowledged.
    pub fn has_due(&self, limit: u8) -> bool {
        self.has_repeat() || self.next < self.frames.len().min(limit.into())
    }

    /// The next frame that SREJ asks for.
    pub fn next_repeat(&mut self) -> Option<Due<D>> {
        let number = self.again.from_on(self.v_a, self.modulo).next()?;
        self.again.remove(number);
        self.due(usize::from(self.modulo.distance(self.v_a, number)))
    }

    /// The next frame, one asked for by SREJ before others, with at most `limit` not acknowledged.
    pub fn next_due(&mut self, limit: u8) -> Option<Due<D>> {
        if let Some(due) = self.next_repeat() {
            return Some(due);
        }
        if self.next >= usize::from(limit) {
            return None;
        }
        let due = self.due(self.next)?;
        self.next += 1;
        self.sent = self.sent.max(self.next);
        Some(due)
    }

    /// The oldest frame not acknowledged.
    pub fn oldest(&mut self) -> Option<Due<D>> {
        if self.sent == 0 {
            return None;
        }
        self.next = self.next.max(1);
        self.due(0)
    }

    fn due(&mut self, offset: usize) -> Option<Due<D>> {
        let number = self.modulo.after(self.v_a, offset as u8);
        let frame = self.frames.get_mut(offset)?;
        let repeated = frame.times > 0;
        frame.times = frame.times.saturating_add(1);
        Some(Due { number, pid: frame.pid, data: frame.data.clone(), repeated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u8) -> Window<u8> {
        let mut window = Window::new();
        (0..count).for_each(|data| window.push(Pid::NONE, data));
        window
    }

    fn numbers(window: &mut Window<u8>, limit: u8) -> Vec<u8> {
        std::iter::from_fn(|| window.next_due(limit)).map(|due| due.number).collect()
    }

    #[test]
    fn no_more_frames_go_than_the_window_holds() {
        let mut window = filled(10);
        assert_eq!(numbers(&mut window, 4), [0, 1, 2, 3]);
        assert_eq!(window.acknowledge(3), Acknowledged { frames: 3, sent_once: true });
        assert_eq!(numbers(&mut window, 4), [4, 5, 6]);
    }

    #[test]
    fn an_acknowledgement_of_what_was_never_sent_is_not_accepted() {
        let mut window = filled(10);
        numbers(&mut window, 4);
        let accepted: Vec<u8> = (0..8).filter(|receive| window.accepts(*receive)).collect();
        assert_eq!(accepted, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_acknowledgement_that_crosses_a_request_to_go_back_is_accepted() {
        let mut window = filled(6);
        numbers(&mut window, 6);
        window.turn_back();
        assert!(window.accepts(5));
        window.acknowledge(5);
        assert_eq!(numbers(&mut window, 6), [5]);
    }

    #[test]
    fn frames_sent_again_are_known_as_such_and_their_times_are_not_trusted() {
        let mut window = filled(3);
        numbers(&mut window, 7);
        window.turn_back();
        assert!(window.next_due(7).is_some_and(|due| due.repeated));
        assert_eq!(window.acknowledge(2), Acknowledged { frames: 2, sent_once: false });
    }

    #[test]
    fn a_selective_request_repeats_one_frame_and_only_one_that_was_sent() {
        let mut window = filled(6);
        numbers(&mut window, 4);
        window.repeat(2);
        window.repeat(4);
        assert_eq!(numbers(&mut window, 4), [2]);
    }
}
