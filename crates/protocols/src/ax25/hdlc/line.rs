//! Line codes: NRZI, and the G3RUH scrambler at 9600 bit/s.

/// NRZI: a zero changes the level, a one keeps it. Stuffed zeros thus guarantee transitions for clock recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nrzi {
    level: bool,
}

impl Nrzi {
    /// The level that encodes a bit.
    pub const fn encode(&mut self, bit: bool) -> bool {
        self.level ^= !bit;
        self.level
    }

    /// The bit that a level encodes.
    pub const fn decode(&mut self, level: bool) -> bool {
        let bit = level == self.level;
        self.level = level;
        bit
    }
}

/// The feedback of the polynomial 1 + x^12 + x^17.
const fn feedback(register: u32) -> bool {
    (register >> 11 ^ register >> 16) & 1 != 0
}

/// Scrambles levels to avoid long runs: 1 + x^12 + x^17 (Miller, G3RUH, 1988).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scrambler {
    /// Levels sent, the latest in the lowest bit.
    register: u32,
}

impl Scrambler {
    /// The scrambled level to send.
    pub const fn push(&mut self, level: bool) -> bool {
        let sent = level ^ feedback(self.register);
        self.register = self.register << 1 | sent as u32;
        sent
    }
}

/// Reverses a [`Scrambler`]; self-synchronizing within 17 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descrambler {
    /// Levels received, the latest in the lowest bit.
    register: u32,
}

impl Descrambler {
    /// The level before the scrambler.
    pub const fn push(&mut self, received: bool) -> bool {
        let level = received ^ feedback(self.register);
        self.register = self.register << 1 | received as u32;
        level
    }
}
