//! The receive window of a channel: P(S) expected and P(R) sent.

use super::send_window::{NUMBERS, distance};

/// The receive window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceiveWindow {
    /// P(S) expected next.
    expected: u8,
    /// The last P(R) sent.
    p_r: u8,
    /// One bit per P(S) whose acknowledgement is withheld until the far end acknowledges (D bit).
    withheld: u8,
    /// Whether RNR has been sent.
    pub busy: bool,
}

impl ReceiveWindow {
    /// Accepts a packet if its P(S) is the one expected; its acknowledgement is withheld if `withheld`.
    pub fn accept(&mut self, p_s: u8, withheld: bool) -> bool {
        if p_s != self.expected {
            return false;
        }
        self.withheld |= u8::from(withheld) << p_s;
        self.expected = p_s.wrapping_add(1) & NUMBERS;
        true
    }

    /// The packet with this P(S) may be acknowledged.
    pub fn release(&mut self, p_s: u8) {
        self.withheld &= !(1 << (p_s & NUMBERS));
    }

    /// Packets that may be acknowledged and are not.
    pub fn pending(&self) -> u8 {
        distance(self.p_r, self.acknowledged())
    }

    /// The P(R) to send now.
    pub fn next_p_r(&mut self) -> u8 {
        self.p_r = self.acknowledged();
        self.p_r
    }

    fn acknowledged(&self) -> u8 {
        let mut number = self.p_r;
        while number != self.expected && self.withheld >> number & 1 == 0 {
            number = number.wrapping_add(1) & NUMBERS;
        }
        number
    }
}
