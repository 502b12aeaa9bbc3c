//! The monotonic clock as [`Time`]: picoseconds since the driver began.

use std::time::Instant;

use rustix::event::Timespec;
use sojourn_core::{Duration, Time};

/// A clock that began when it was made. NTP may slew it, nothing sets it back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Time 0 is now.
    pub fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// Now.
    pub fn now(&self) -> Time {
        // 213 days last longer than any measurement
        Time::from_picoseconds(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX / 1000) * 1000)
    }
}

/// A span as the operating system counts it, rounded up to a nanosecond.
pub fn to_system(span: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(span.picoseconds().div_ceil(1000))
}

/// The same as `poll` takes it.
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
