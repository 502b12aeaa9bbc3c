//! The sending half of a link: the queue of I frames, V(A) and V(S).

use std::collections::VecDeque;

use crate::ax25::wire::{Modulo, Pid, SequenceSet};

/// I frames to send, the oldest unacknowledged first. V(A) is its number, V(S) that of the next to send.
#[derive(Clone, Debug)]
pub(super) struct SendWindow<D> {
    modulo: Modulo,
    v_a: u8,
    frames: VecDeque<QueuedFrame<D>>,
    /// V(S) - V(A).
    next: usize,
    /// Frames in flight: sent at least once. Not below `next`, which REJ and enquiry responses turn back.
    sent: usize,
    /// Frames that SREJ requests.
    requested: SequenceSet,
    /// Peer receiver busy: the last S frame was RNR.
    pub peer_busy: bool,
}

/// The information of an I frame, and how often it has been sent.
#[derive(Clone, Debug)]
struct QueuedFrame<D> {
    pid: Pid,
    data: D,
    times: u8,
}

/// What an N(R) acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acknowledged {
    /// I frames newly acknowledged.
    pub frames: u8,
    /// Whether each was sent once, so that the RTT sample is unambiguous (Karn's algorithm).
    pub sent_once: bool,
}

/// An I frame to transmit now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DueFrame<D> {
    /// N(S) of the frame.
    pub n_s: u8,
    pub pid: Pid,
    pub data: D,
    /// Whether it has been sent before.
    pub retransmitted: bool,
}

impl<D: Clone> SendWindow<D> {
    pub fn new() -> Self {
        SendWindow {
            modulo: Modulo::Eight,
            v_a: 0,
            frames: VecDeque::new(),
            next: 0,
            sent: 0,
            requested: SequenceSet::NONE,
            peer_busy: false,
        }
    }

    /// Restarts at V(S) = V(A) = 0; queued frames stay.
    pub fn restart(&mut self, modulo: Modulo) {
        self.modulo = modulo;
        self.v_a = 0;
        self.next = 0;
        self.sent = 0;
        self.requested = SequenceSet::NONE;
        self.peer_busy = false;
    }

    /// Drops all frames; returns their number.
    pub fn clear(&mut self) -> u32 {
        let dropped = self.frames.len() as u32;
        self.frames.clear();
        self.restart(self.modulo);
        dropped
    }

    pub fn push(&mut self, pid: Pid, data: D) {
        self.frames.push_back(QueuedFrame { pid, data, times: 0 });
    }

    /// Unacknowledged frames, sent or not.
    pub fn backlog(&self) -> usize {
        self.frames.len()
    }

    /// Frames in flight.
    pub fn unacknowledged(&self) -> usize {
        self.sent
    }

    /// V(S), the N(S) of the next I frame.
    pub fn v_s(&self) -> u8 {
        self.modulo.after(self.v_a, self.next as u8)
    }

    /// Whether N(R) acknowledges only frames that were sent: V(A) <= N(R) <= V(S), with V(S) as it was before any
    /// go-back, since an acknowledgement may cross it in flight.
    pub fn accepts(&self, n_r: u8) -> bool {
        usize::from(self.modulo.distance(self.v_a, n_r)) <= self.sent
    }

    /// Removes the frames before an acceptable N(R).
    pub fn acknowledge(&mut self, n_r: u8) -> Acknowledged {
        let frames = self.modulo.distance(self.v_a, n_r);
        let count = usize::from(frames).min(self.sent);
        let sent_once = self.frames.drain(..count).all(|frame| frame.times == 1);
        (0..frames).for_each(|step| _ = self.requested.remove(self.modulo.after(self.v_a, step)));
        self.v_a = n_r;
        self.next = self.next.saturating_sub(count);
        self.sent -= count;
        Acknowledged { frames, sent_once }
    }

    /// Go-back-N: V(S) returns to V(A), and every unacknowledged frame is sent again.
    pub fn go_back(&mut self) {
        self.next = 0;
        self.requested = SequenceSet::NONE;
    }

    /// Schedules frame `number` for retransmission if it is in flight.
    pub fn retransmit(&mut self, number: u8) {
        let offset = usize::from(self.modulo.distance(self.v_a, number));
        if offset < self.next {
            self.requested.insert(number);
        }
    }

    /// Schedules all frames in flight for retransmission.
    pub fn retransmit_all(&mut self) {
        (0..self.next as u8).for_each(|step| self.requested.insert(self.modulo.after(self.v_a, step)));
    }

    /// Whether SREJ requests a frame.
    pub fn has_retransmission(&self) -> bool {
        !self.requested.is_empty()
    }

    /// Whether a frame may be sent with at most `k` in flight.
    pub fn has_due(&self, k: u8) -> bool {
        self.has_retransmission() || self.next < self.frames.len().min(k.into())
    }

    /// The next frame that SREJ requests.
    pub fn next_retransmission(&mut self) -> Option<DueFrame<D>> {
        let number = self.requested.from_on(self.v_a, self.modulo).next()?;
        self.requested.remove(number);
        self.due(usize::from(self.modulo.distance(self.v_a, number)))
    }

    /// The next frame, those that SREJ requests first, with at most `k` in flight.
    pub fn next_due(&mut self, k: u8) -> Option<DueFrame<D>> {
        if let Some(due) = self.next_retransmission() {
            return Some(due);
        }
        if self.next >= usize::from(k) {
            return None;
        }
        let due = self.due(self.next)?;
        self.next += 1;
        self.sent = self.sent.max(self.next);
        Some(due)
    }

    /// The oldest frame in flight.
    pub fn oldest(&mut self) -> Option<DueFrame<D>> {
        if self.sent == 0 {
            return None;
        }
        self.next = self.next.max(1);
        self.due(0)
    }

    fn due(&mut self, offset: usize) -> Option<DueFrame<D>> {
        let n_s = self.modulo.after(self.v_a, offset as u8);
        let frame = self.frames.get_mut(offset)?;
        let retransmitted = frame.times > 0;
        frame.times = frame.times.saturating_add(1);
        Some(DueFrame { n_s, pid: frame.pid, data: frame.data.clone(), retransmitted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u8) -> SendWindow<u8> {
        let mut window = SendWindow::new();
        (0..count).for_each(|data| window.push(Pid::NONE, data));
        window
    }

    fn numbers(window: &mut SendWindow<u8>, limit: u8) -> Vec<u8> {
        std::iter::from_fn(|| window.next_due(limit)).map(|due| due.n_s).collect()
    }

    #[test]
    fn at_most_k_frames_are_in_flight() {
        let mut window = filled(10);
        assert_eq!(numbers(&mut window, 4), [0, 1, 2, 3]);
        assert_eq!(window.acknowledge(3), Acknowledged { frames: 3, sent_once: true });
        assert_eq!(numbers(&mut window, 4), [4, 5, 6]);
    }

    #[test]
    fn an_n_r_beyond_v_s_is_not_accepted() {
        let mut window = filled(10);
        numbers(&mut window, 4);
        let accepted: Vec<u8> = (0..8).filter(|receive| window.accepts(*receive)).collect();
        assert_eq!(accepted, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_acknowledgement_that_crosses_a_go_back_is_accepted() {
        let mut window = filled(6);
        numbers(&mut window, 6);
        window.go_back();
        assert!(window.accepts(5));
        window.acknowledge(5);
        assert_eq!(numbers(&mut window, 6), [5]);
    }

    #[test]
    fn retransmitted_frames_give_no_rtt_sample() {
        let mut window = filled(3);
        numbers(&mut window, 7);
        window.go_back();
        assert!(window.next_due(7).is_some_and(|due| due.retransmitted));
        assert_eq!(window.acknowledge(2), Acknowledged { frames: 2, sent_once: false });
    }

    #[test]
    fn a_selective_reject_retransmits_one_frame_and_only_one_in_flight() {
        let mut window = filled(6);
        numbers(&mut window, 4);
        window.retransmit(2);
        window.retransmit(4);
        assert_eq!(numbers(&mut window, 4), [2]);
    }
}
