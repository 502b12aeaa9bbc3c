//! Bytes as a TCP segment.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::tcp::wire::fuzz::segment(bytes));
