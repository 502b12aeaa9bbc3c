//! Additive increase and multiplicative decrease of Reno (RFC 5681, 3.1).

/// State of Reno or NewReno.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reno {
    /// Fraction of an octet by which cwnd has not grown yet, in units of 1/cwnd.
    remainder: u64,
}

impl Reno {
    /// Whole octets of `share` / `cwnd` by which the window grows; the fraction is added to the next.
    pub fn growth(&mut self, cwnd: u64, share: u64) -> u64 {
        self.remainder += share;
        let grown = self.remainder / cwnd;
        self.remainder %= cwnd + grown;
        grown
    }

    /// A loss with `flight_size` octets in flight: the reduced window.
    pub fn halve(&mut self, flight_size: u64) -> u64 {
        self.remainder = 0;
        flight_size / 2
    }
}
