//! The processor time of this process: other work on the machine does not count.

use rustix::time::{ClockId, clock_gettime};

/// Processor seconds that `work` took, and what it gave.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = now();
    let result = work();
    (now() - begin, result)
}

fn now() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
