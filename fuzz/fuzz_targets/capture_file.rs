//! Bytes as a capture file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_capture::fuzz::file(bytes));
