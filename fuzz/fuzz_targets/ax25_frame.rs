//! Bytes as an AX.25 frame, modulo 8 and modulo 128.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::ax25::wire::fuzz::frame(bytes));
