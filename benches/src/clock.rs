//! The processor time of this process, in which other work on the machine does not count; and the time of day's pace,
//! for what waits.

use nix::time::{ClockId, clock_gettime};

/// Processor seconds that `work` took, and what it gave.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = seconds(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    let result = work();
    (seconds(ClockId::CLOCK_PROCESS_CPUTIME_ID) - begin, result)
}

/// Seconds of the monotonic clock.
pub fn wall() -> f64 {
    seconds(ClockId::CLOCK_MONOTONIC)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock).expect("every Linux has these clocks");
    time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
}
