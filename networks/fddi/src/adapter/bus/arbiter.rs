//! The central arbiter: two independent round-robin queues, responders before commanders.

/// Lines in a fixed order, served in turn.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    raised: u32,
    last: u32,
}

impl Default for RoundRobin {
    fn default() -> Self {
        // the first turn is line 0's
        RoundRobin { raised: 0, last: u32::BITS - 1 }
    }
}

impl RoundRobin {
    /// Raises or lowers a line, below 32.
    #[inline]
    pub fn set(&mut self, line: u32, raised: bool) {
        self.raised = self.raised & !(1 << line) | u32::from(raised) << line;
    }

    /// Whether any line is raised.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.raised != 0
    }

    /// Lowers and returns the first raised line after the one that was served last.
    #[inline]
    fn take(&mut self) -> Option<u32> {
        if self.raised == 0 {
            return None;
        }
        let later = self.raised & (!1u32 << self.last);
        let line = if later == 0 { self.raised.trailing_zeros() } else { later.trailing_zeros() };
        self.raised &= !(1 << line);
        self.last = line;
        Some(line)
    }
}

/// Who was granted the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granted {
    /// A memory bank, to return data.
    Responder(u32),
    /// A commander, for a command with or without data.
    Commander(u32),
}

/// Round-robin arbitration of the bus: responders before commanders.
#[derive(Clone, Debug, Default)]
pub struct Arbiter {
    /// Memory banks with data to return.
    pub responders: RoundRobin,
    /// Request lines of commanders: nodes that begin a transaction.
    pub commanders: RoundRobin,
    /// SUP: commanders are not granted.
    pub suppressed: bool,
}

impl Arbiter {
    /// Whether anybody can be granted.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.responders.is_asked() || self.commanders.is_asked() && !self.suppressed
    }

    /// Grants one request line the next cycles of the bus; none if no line is raised.
    #[inline]
    pub fn grant(&mut self) -> Option<Granted> {
        if let Some(bank) = self.responders.take() {
            return Some(Granted::Responder(bank));
        }
        if self.suppressed {
            return None;
        }
        self.commanders.take().map(Granted::Commander)
    }
}
