//! The send window of a channel: data packets queued and in flight.

use std::collections::VecDeque;

/// Mask of sequence numbers modulo 8.
pub(super) const NUMBERS: u8 = 7;

/// `number - earlier` modulo 8.
pub(super) const fn distance(earlier: u8, number: u8) -> u8 {
    number.wrapping_sub(earlier) & NUMBERS
}

/// The contents of a data packet.
#[derive(Clone, Debug)]
pub(super) struct Unit<D> {
    pub data: D,
    pub more: bool,
    pub q_bit: bool,
    pub d_bit: bool,
    /// P(S) on the incoming channel, which acknowledges it once this channel's neighbour has.
    pub origin: Option<u8>,
}

/// The send window.
#[derive(Clone, Debug)]
pub(super) struct SendWindow<D> {
    waiting: VecDeque<Unit<D>>,
    in_flight: VecDeque<Unit<D>>,
    /// P(S) of the next packet.
    p_s: u8,
    pub peer_busy: bool,
}

impl<D: Clone> SendWindow<D> {
    pub const fn new() -> Self {
        SendWindow { waiting: VecDeque::new(), in_flight: VecDeque::new(), p_s: 0, peer_busy: false }
    }

    pub fn push(&mut self, unit: Unit<D>) {
        self.waiting.push_back(unit);
    }

    /// Packets queued and not sent.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Packets in flight.
    pub fn unacknowledged(&self) -> usize {
        self.in_flight.len()
    }

    /// The next packet that the window allows, and its P(S).
    pub fn take(&mut self, window: u8) -> Option<(u8, Unit<D>)> {
        if self.peer_busy || self.in_flight.len() >= usize::from(window) {
            return None;
        }
        let unit = self.waiting.pop_front()?;
        self.in_flight.push_back(unit.clone());
        let number = self.p_s;
        self.p_s = number.wrapping_add(1) & NUMBERS;
        Some((number, unit))
    }

    /// Takes the neighbour's P(R). Appends to `freed` the P(S) that the incoming channel may acknowledge now; returns the
    /// number of packets acknowledged, or `None` if P(R) is invalid.
    pub fn acknowledge(&mut self, p_r: u8, freed: &mut Vec<u8>) -> Option<usize> {
        let lowest = self.p_s.wrapping_sub(self.in_flight.len() as u8) & NUMBERS;
        let count = usize::from(distance(lowest, p_r));
        if count > self.in_flight.len() {
            return None;
        }
        freed.extend(self.in_flight.drain(..count).filter_map(|unit| unit.origin));
        Some(count)
    }

    /// Go-back-N: queues all packets in flight again.
    pub fn go_back(&mut self) {
        self.p_s = self.p_s.wrapping_sub(self.in_flight.len() as u8) & NUMBERS;
        while let Some(unit) = self.in_flight.pop_back() {
            self.waiting.push_front(unit);
        }
    }

    /// Restarts at P(S) = 0; returns the number of packets dropped.
    pub fn reset(&mut self) -> u32 {
        let lost = self.waiting.len() + self.in_flight.len();
        *self = SendWindow::new();
        lost as u32
    }
}
