//! Bytes as the information of a NET/ROM frame.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::netrom::wire::fuzz::information(bytes));
