//! Bytes as XTP packets of a capture.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_capture::fuzz::xtp(bytes));
