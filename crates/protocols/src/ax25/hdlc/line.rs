//! What a radio carries instead of the bits: NRZI, and at 9600 bit/s scrambled (G3RUH).

/// NRZI: a zero changes the level, a one keeps it. Stuffed zeros thus keep a receiver's clock going.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nrzi {
    level: bool,
}

impl Nrzi {
    /// The level that a bit is sent as.
    pub const fn encode(&mut self, bit: bool) -> bool {
        self.level ^= !bit;
        self.level
    }

    /// The bit that a level was sent for.
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

/// Scrambles levels so that the radio sees no long runs: 1 + x^12 + x^17 (Miller, G3RUH, 1988).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scrambler {
    /// What was sent, the latest lowest.
    register: u32,
}

impl Scrambler {
    /// What to send for a level.
    pub const fn push(&mut self, level: bool) -> bool {
        let sent = level ^ feedback(self.register);
        self.register = self.register << 1 | sent as u32;
        sent
    }
}

/// Undoes a [`Scrambler`]; it finds its place after 17 bits, wherever it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descrambler {
    /// What was received, the latest lowest.
    register: u32,
}

impl Descrambler {
    /// The level that was scrambled.
    pub const fn push(&mut self, received: bool) -> bool {
        let level = received ^ feedback(self.register);
        self.register = self.register << 1 | received as u32;
        level
    }
}
