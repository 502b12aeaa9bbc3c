//! Data packets that come in on a channel, and how far they are acknowledged.

use super::sending::{NUMBERS, distance};

/// Where the numbers stand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Receiving {
    /// P(S) expected next.
    expected: u8,
    /// The last P(R) told.
    told: u8,
    /// One bit for each number whose packet is not to be acknowledged yet.
    withheld: u8,
    /// Whether the peer has been told to hold on.
    pub busy: bool,
}

impl Receiving {
    /// Takes the packet of this number, acknowledged later if it is `withheld`; whether it was expected.
    pub fn take(&mut self, send: u8, withheld: bool) -> bool {
        if send != self.expected {
            return false;
        }
        self.withheld |= u8::from(withheld) << send;
        self.expected = send.wrapping_add(1) & NUMBERS;
        true
    }

    /// The packet of this number may be acknowledged.
    pub fn release(&mut self, send: u8) {
        self.withheld &= !(1 << (send & NUMBERS));
    }

    /// Packets that may be acknowledged and are not.
    pub fn owed(&self) -> u8 {
        distance(self.told, self.acknowledged())
    }

    /// P(R) to tell now.
    pub fn tell(&mut self) -> u8 {
        self.told = self.acknowledged();
        self.told
    }

    fn acknowledged(&self) -> u8 {
        let mut number = self.told;
        while number != self.expected && self.withheld >> number & 1 == 0 {
            number = number.wrapping_add(1) & NUMBERS;
        }
        number
    }
}
