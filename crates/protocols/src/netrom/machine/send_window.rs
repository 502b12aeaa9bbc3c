//! The send queue and window of a circuit.

use std::collections::VecDeque;

use super::settings::Modulus;
use crate::StreamData;

/// The user data of one packet: a message, or a fragment of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fragment<D> {
    pub data: D,
    /// More follows: the next packet continues the message.
    pub more: bool,
}

/// The sending half of a circuit.
#[derive(Clone, Debug)]
pub(super) struct SendWindow<D> {
    /// Unacknowledged packets, oldest first.
    queue: VecDeque<Fragment<D>>,
    /// TX sequence number of the oldest.
    first: u8,
    /// Packets in flight; 0 again when a window is to be retransmitted.
    in_flight: u8,
    /// Packets sent at least once; only those may be acknowledged.
    sent: u8,
    /// The peer has choked this sender.
    pub choked: bool,
    /// The send queue was full and the user waits for room.
    pub full: bool,
}

/// A packet to transmit.
#[derive(Debug, PartialEq)]
pub(super) struct Due<D> {
    pub tx_sequence: u8,
    pub fragment: Fragment<D>,
    pub retransmitted: bool,
}

impl<D: StreamData> SendWindow<D> {
    pub const fn new() -> Self {
        SendWindow { queue: VecDeque::new(), first: 0, in_flight: 0, sent: 0, choked: false, full: false }
    }

    /// Queues a message in fragments of at most `limit` octets.
    pub fn push(&mut self, data: &D, limit: usize) {
        let length = data.length();
        let mut start = 0;
        loop {
            let end = length.min(start + limit);
            self.queue.push_back(Fragment { data: data.slice(start, end), more: end < length });
            start = end;
            if start == length {
                break;
            }
        }
    }

    /// Whether all data are acknowledged.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Unacknowledged packets, sent or not.
    pub fn outstanding(&self) -> usize {
        self.queue.len()
    }

    /// Packets in flight.
    pub const fn in_flight(&self) -> u8 {
        self.in_flight
    }

    /// Drops all packets; returns their number.
    pub fn clear(&mut self) -> u32 {
        (self.in_flight, self.sent) = (0, 0);
        self.queue.drain(..).count() as u32
    }

    /// Whether the send queue is below its limit.
    pub fn has_room(&self, limit: u16) -> bool {
        self.queue.len() < usize::from(limit)
    }

    /// Removes the packets before `rx_sequence` if all were sent; returns their number.
    pub fn acknowledge(&mut self, modulus: Modulus, rx_sequence: u8) -> u8 {
        let count = modulus.distance(self.first, rx_sequence);
        if count > self.sent {
            return 0;
        }
        self.queue.drain(..usize::from(count));
        self.first = rx_sequence & modulus.largest();
        self.in_flight = self.in_flight.saturating_sub(count);
        self.sent -= count;
        count
    }

    /// Schedules everything unacknowledged for retransmission.
    pub const fn rewind(&mut self) {
        self.in_flight = 0;
    }

    /// The next packet that a window of `window` packets allows.
    pub fn next_due(&mut self, modulus: Modulus, window: u8) -> Option<Due<D>> {
        if self.in_flight >= window || usize::from(self.in_flight) >= self.queue.len() {
            return None;
        }
        self.in_flight += 1;
        Some(self.due(modulus, self.in_flight - 1))
    }

    /// The oldest packet, if it is in flight.
    pub fn oldest(&mut self, modulus: Modulus) -> Option<Due<D>> {
        (self.in_flight > 0).then(|| self.due(modulus, 0))
    }

    fn due(&mut self, modulus: Modulus, index: u8) -> Due<D> {
        let retransmitted = index < self.sent;
        self.sent = self.sent.max(index + 1);
        let fragment = self.queue[usize::from(index)].clone();
        Due { tx_sequence: modulus.after(self.first, index), fragment, retransmitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: Modulus = Modulus::TwoHundredFiftySix;

    fn numbers(window: &mut SendWindow<Vec<u8>>, size: u8) -> Vec<(u8, bool)> {
        std::iter::from_fn(|| window.next_due(MODULUS, size)).map(|due| (due.tx_sequence, due.retransmitted)).collect()
    }

    fn filled(count: u8) -> SendWindow<Vec<u8>> {
        let mut window = SendWindow::new();
        (0..count).for_each(|number| window.push(&vec![number], 236));
        window
    }

    #[test]
    fn a_message_is_fragmented_with_more_follows_in_all_fragments_except_the_last() {
        let mut window = SendWindow::new();
        window.push(&vec![0; 500], 236);
        let fragments: Vec<(usize, bool)> =
            window.queue.iter().map(|fragment| (fragment.data.len(), fragment.more)).collect();
        assert_eq!(fragments, [(236, true), (236, true), (28, false)]);
    }

    #[test]
    fn at_most_a_window_is_in_flight_and_an_acknowledgement_advances_it() {
        let mut window = filled(5);
        assert_eq!(numbers(&mut window, 3), [(0, false), (1, false), (2, false)]);
        assert_eq!(window.acknowledge(MODULUS, 2), 2);
        assert_eq!(numbers(&mut window, 3), [(3, false), (4, false)]);
    }

    #[test]
    fn after_a_rewind_the_window_is_retransmitted_and_stays_acknowledgeable() {
        let mut window = filled(3);
        numbers(&mut window, 2);
        window.rewind();
        assert_eq!(window.oldest(MODULUS), None);
        assert_eq!(window.acknowledge(MODULUS, 1), 1);
        assert_eq!(numbers(&mut window, 2), [(1, true), (2, false)]);
    }

    #[test]
    fn an_acknowledgement_of_packets_never_sent_is_ignored() {
        let mut window = filled(5);
        numbers(&mut window, 2);
        assert_eq!(window.acknowledge(MODULUS, 3), 0);
    }
}
