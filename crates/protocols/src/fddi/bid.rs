//! What a claim frame bids.

use sojourn_core::Duration;

/// The unit of management times, 80 ns (RFC 1285).
const UNIT: Duration = Duration::from_nanos(80);

/// The token rotation time a station asks for, as the four bytes of a claim frame: the two's complement of the time
/// in units of 80 ns, so that the lower time is the higher number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid(pub [u8; 4]);

impl Bid {
    /// A bid of `time`, rounded down to 80 ns; times beyond 343 s count as that.
    pub const fn of(time: Duration) -> Self {
        let units = time.whole(UNIT);
        let units = if units > u32::MAX as u64 { u32::MAX } else { units as u32 };
        Bid(units.wrapping_neg().to_be_bytes())
    }

    /// The time that is bid.
    pub const fn time(self) -> Duration {
        UNIT.times(u32::from_be_bytes(self.0).wrapping_neg() as u64)
    }
}
