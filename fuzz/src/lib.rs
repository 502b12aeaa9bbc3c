//! What every fuzz target asserts beside the absence of panics: reading takes time linear in the size of the input.

use rustix::time::{ClockId, clock_gettime};

/// What reading may take whatever its size, in seconds: the first input of a target makes tables and templates.
const FIXED_S: f64 = 2.0;
/// What an octet more may take, in seconds. Builds for fuzzing are instrumented and checked, some ten times as slow as
/// others; a quadratic reader of 64 KiB takes a hundred times as long.
const PER_OCTET_S: f64 = 50e-6;

/// Hands `bytes` to a reader. Panics where that takes more processor time than an input of this size may.
pub fn linear<T>(bytes: &[u8], read: impl FnOnce(&[u8]) -> T) {
    let began = processor_s();
    read(bytes);
    let took = processor_s() - began;
    let most = FIXED_S + PER_OCTET_S * bytes.len() as f64;
    assert!(took < most, "{} octets took {took:.1} s, and {most:.1} s at most are allowed", bytes.len());
}

/// Processor time of this thread, in seconds: other work of the machine is not counted.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A fuzz target that hands its input to one function.
#[macro_export]
macro_rules! target {
    ($($read:path),+) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            $($crate::linear(bytes, $read);)+
        });
    };
}
