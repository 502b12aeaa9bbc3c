//! The processor time of this process, in which other work on the machine does not count; and the time of day's pace,
//! for what waits.

use rustix::time::{ClockId, clock_gettime};

/// Processor seconds that `work` took, and what it gave.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = seconds(ClockId::ProcessCPUTime);
    let result = work();
    (seconds(ClockId::ProcessCPUTime) - begin, result)
}

/// Seconds of the monotonic clock.
pub fn wall() -> f64 {
    seconds(ClockId::Monotonic)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
