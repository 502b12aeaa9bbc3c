//! The monotonic clock as [`Time`]: picoseconds since the driver began.

use std::time::Instant;

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
    }
}
