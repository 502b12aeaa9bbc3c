//! The bid of a claim frame (T_Bid).

use sojourn_core::Duration;

/// Unit of FDDI times, 80 ns (RFC 1285).
const UNIT: Duration = Duration::from_nanos(80);

/// Target token rotation time (TTRT) that a station bids, as the four bytes of a claim frame: the two's complement of the
/// time in units of 80 ns, so that a lower time is a higher number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid(pub [u8; 4]);

impl Bid {
    /// A bid of `time`, rounded down to 80 ns; at most 343 s.
    pub const fn of(time: Duration) -> Self {
        let units = time.whole(UNIT);
        let units = if units > u32::MAX as u64 { u32::MAX } else { units as u32 };
        Bid(units.wrapping_neg().to_be_bytes())
    }

    /// The TTRT bid as a duration.
    pub const fn time(self) -> Duration {
        UNIT.times(u32::from_be_bytes(self.0).wrapping_neg() as u64)
    }
}
