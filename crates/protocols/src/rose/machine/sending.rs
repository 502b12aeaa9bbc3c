//! Data packets that go out on a channel, until they are acknowledged.

use std::collections::VecDeque;

/// Sequence numbers count modulo 8.
pub(super) const NUMBERS: u8 = 7;

/// How far `number` is after `earlier`, around the circle.
pub(super) const fn distance(earlier: u8, number: u8) -> u8 {
    number.wrapping_sub(earlier) & NUMBERS
}

/// What one data packet carries.
#[derive(Clone, Debug)]
pub(super) struct Unit<D> {
    pub data: D,
    pub more: bool,
    pub q_bit: bool,
    pub d_bit: bool,
    /// P(S) on the channel it came from, which is to acknowledge it once this one's next switch has.
    pub origin: Option<u8>,
}

/// A window.
#[derive(Debug)]
pub(super) struct Sending<D> {
    waiting: VecDeque<Unit<D>>,
    sent: VecDeque<Unit<D>>,
    /// P(S) of the next packet.
    next: u8,
    pub peer_busy: bool,
}

impl<D: Clone> Sending<D> {
    pub const fn new() -> Self {
        Sending { waiting: VecDeque::new(), sent: VecDeque::new(), next: 0, peer_busy: false }
    }

    pub fn push(&mut self, unit: Unit<D>) {
        self.waiting.push_back(unit);
    }

    /// Packets that have not been sent.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Packets that have not been acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.sent.len()
    }

    /// The next packet that the window lets go, and its P(S).
    pub fn take(&mut self, window: u8) -> Option<(u8, Unit<D>)> {
        if self.peer_busy || self.sent.len() >= usize::from(window) {
            return None;
        }
        let unit = self.waiting.pop_front()?;
        self.sent.push_back(unit.clone());
        let number = self.next;
        self.next = number.wrapping_add(1) & NUMBERS;
        Some((number, unit))
    }

    /// The peer expects `receive` next. Puts the numbers that may be acknowledged now on the channel the packets came
    /// from to `freed`; how many packets were acknowledged, or none if the number makes no sense.
    pub fn acknowledge(&mut self, receive: u8, freed: &mut Vec<u8>) -> Option<usize> {
        let lowest = self.next.wrapping_sub(self.sent.len() as u8) & NUMBERS;
        let count = usize::from(distance(lowest, receive));
        if count > self.sent.len() {
            return None;
        }
        freed.extend(self.sent.drain(..count).filter_map(|unit| unit.origin));
        Some(count)
    }

    /// Sends all that is not acknowledged again.
    pub fn go_back(&mut self) {
        self.next = self.next.wrapping_sub(self.sent.len() as u8) & NUMBERS;
        while let Some(unit) = self.sent.pop_back() {
            self.waiting.push_front(unit);
        }
    }

    /// Counts from 0; how many packets were dropped.
    pub fn reset(&mut self) -> u32 {
        let lost = self.waiting.len() + self.sent.len();
        *self = Sending::new();
        lost as u32
    }
}
