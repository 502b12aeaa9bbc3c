//! The monotonic clock as [`Time`]: picoseconds since it was started.

use nix::time::{ClockId, clock_gettime};
use rustix::event::Timespec;
use sojourn_core::{Duration, Time};

/// A monotonic clock that starts at 0 when it is made. NTP may slew it; nothing steps it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// CLOCK_MONOTONIC at the start, in nanoseconds.
    start_ns: u64,
}

impl Clock {
    /// Starts a clock: its time 0 is now.
    pub fn start() -> Clock {
        Clock { start_ns: nanoseconds(ClockId::CLOCK_MONOTONIC) }
    }

    /// The time since the start.
    pub fn now(&self) -> Time {
        // Time overflows after 213 days, longer than any measurement
        Time::from_picoseconds((nanoseconds(ClockId::CLOCK_MONOTONIC) - self.start_ns) * 1000)
    }
}

/// Reads a clock of the system, in nanoseconds since its own epoch. It is read several times for each packet, so without
/// checked conversions.
pub fn nanoseconds(of: ClockId) -> u64 {
    let shown = clock_gettime(of).expect("every Linux has the monotonic clock and the wall clock");
    // neither the monotonic clock nor, since 1970, the wall clock goes below 0; both fit until the year 2554
    shown.tv_sec() as u64 * 1_000_000_000 + shown.tv_nsec() as u64
}

/// A duration in the standard library's type, rounded up to a nanosecond.
pub fn to_system(span: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(span.picoseconds().div_ceil(1000))
}

/// A duration as `poll` takes it, rounded up to a nanosecond.
pub fn to_timespec(span: Duration) -> Timespec {
    let span = to_system(span);
    // 213 days at most
    Timespec { tv_sec: span.as_secs() as i64, tv_nsec: span.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_and_a_wait_is_never_rounded_down() {
        let clock = Clock::start();
        let first = clock.now();
        assert!(clock.now() >= first);
        assert_eq!(to_system(Duration::from_picoseconds(1)), std::time::Duration::from_nanos(1));
        assert_eq!(to_system(Duration::from_millis(2)), std::time::Duration::from_millis(2));
        assert_eq!(to_timespec(Duration::from_picoseconds(1)), Timespec { tv_sec: 0, tv_nsec: 1 });
        assert_eq!(to_timespec(Duration::from_millis(2500)), Timespec { tv_sec: 2, tv_nsec: 500_000_000 });
    }
}
