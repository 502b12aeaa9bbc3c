//! Bytes as frames of a capture of packet radio.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_capture::ax25::fuzz::frames(bytes));
