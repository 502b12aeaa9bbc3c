//! Bytes as frames of a capture of FDDI and ATM.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_capture::fuzz::frames(bytes));
