//! The receive window of a circuit: the number expected, and packets received out of sequence.

use super::send_window::Fragment;
use super::settings::Modulus;

/// The receiving half of a circuit.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow<D> {
    /// TX sequence number expected next.
    expected: u8,
    /// Packets received in sequence and not acknowledged.
    unacknowledged: u8,
    /// Packets received out of sequence, with their numbers.
    reorder_buffer: Vec<(u8, Fragment<D>)>,
    /// A NAK for the packet expected next has been sent.
    nak_sent: bool,
}

impl<D> ReceiveWindow<D> {
    pub const fn new() -> Self {
        ReceiveWindow { expected: 0, unacknowledged: 0, reorder_buffer: Vec::new(), nak_sent: false }
    }

    /// The RX sequence number of packets sent: the number expected next.
    pub const fn expected(&self) -> u8 {
        self.expected
    }

    /// Packets received in sequence and not acknowledged.
    pub const fn unacknowledged(&self) -> u8 {
        self.unacknowledged
    }

    /// Whether a packet is missing before one in the reorder buffer.
    pub fn has_gap(&self) -> bool {
        !self.reorder_buffer.is_empty()
    }

    /// The packet expected has been received: advances the window by one.
    pub fn advance(&mut self, modulus: Modulus) {
        self.expected = modulus.after(self.expected, 1);
        self.unacknowledged = self.unacknowledged.saturating_add(1);
        self.nak_sent = false;
    }

    /// Takes the packet expected out of the reorder buffer, if it is there.
    pub fn take_buffered(&mut self) -> Option<Fragment<D>> {
        let index = self.reorder_buffer.iter().position(|(number, _)| *number == self.expected)?;
        Some(self.reorder_buffer.swap_remove(index).1)
    }

    /// Whether a packet is in the reorder buffer.
    pub fn is_buffered(&self, tx_sequence: u8) -> bool {
        self.reorder_buffer.iter().any(|(number, _)| *number == tx_sequence)
    }

    /// Keeps a packet received out of sequence.
    pub fn buffer(&mut self, tx_sequence: u8, fragment: Fragment<D>) {
        self.reorder_buffer.push((tx_sequence, fragment));
    }

    /// Records a NAK for the packet expected; returns whether it is the first.
    pub const fn request_missing(&mut self) -> bool {
        !std::mem::replace(&mut self.nak_sent, true)
    }

    /// The number expected has been sent.
    pub const fn acknowledged(&mut self) {
        self.unacknowledged = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: Modulus = Modulus::OneHundredTwentyEight;

    #[test]
    fn buffered_packets_follow_the_missing_one_up_to_the_next_gap() {
        let mut window = ReceiveWindow::new();
        let fragment = |data| Fragment { data, more: false };
        window.buffer(3, fragment('d'));
        window.buffer(1, fragment('b'));
        window.advance(MODULUS);
        assert_eq!(window.take_buffered(), Some(fragment('b')));
        window.advance(MODULUS);
        assert_eq!(window.take_buffered(), None);
        assert!(window.has_gap() && window.is_buffered(3));
        assert_eq!((window.expected(), window.unacknowledged()), (2, 2));
    }

    #[test]
    fn a_missing_packet_is_requested_once() {
        let mut window = ReceiveWindow::<u8>::new();
        assert_eq!([window.request_missing(), window.request_missing()], [true, false]);
        window.advance(MODULUS);
        assert!(window.request_missing());
    }
}
