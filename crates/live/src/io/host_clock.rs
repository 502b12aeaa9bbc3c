//! The maximum error of the wall clock, as the synchronization daemon reports it to the kernel (adjtimex(2)).

use std::path::Path;

use rtime_clock::adjtime::{Timex, adjtimex};
use sojourn_core::Duration;

/// Exists while systemd-timesyncd synchronises the clock. It sets the kernel's error to 0 at every poll, whatever the
/// distance to its server: then the kernel's value bounds nothing.
const TIMESYNCD: &str = "/run/systemd/timesync/synchronized";

/// The largest error of this host's wall clock; `None` if it is not synchronized, or synchronized by a daemon that states
/// no error.
pub fn largest_error() -> Option<Duration> {
    // a zero `modes` only reads, which needs no privilege
    let mut timex = Timex::new();
    adjtimex(&mut timex).ok()?;
    let error_us = stated(timex.0.status, timex.0.maxerror)?;
    (!Path::new(TIMESYNCD).exists()).then(|| Duration::from_micros(error_us))
}

/// The kernel's maximum error in microseconds, by its status bits.
fn stated(status: i32, maxerror_us: i64) -> Option<u64> {
    let is_synchronized = status & (libc::STA_UNSYNC | libc::STA_CLOCKERR) == 0;
    u64::try_from(maxerror_us).ok().filter(|error_us| is_synchronized && *error_us > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_not_synchronized_and_one_without_a_stated_error_have_none() {
        assert_eq!(stated(libc::STA_PLL, 750), Some(750));
        assert_eq!(stated(libc::STA_PLL | libc::STA_UNSYNC, 750), None);
        assert_eq!(stated(libc::STA_CLOCKERR, 750), None);
        assert_eq!(stated(libc::STA_PLL, 0), None, "as phc2sys sets it");
    }

    #[test]
    fn the_kernel_answers_or_refuses_without_a_panic() {
        assert!(largest_error().is_none_or(|error| error < Duration::from_secs(16)), "NTP_PHASE_LIMIT");
    }
}
