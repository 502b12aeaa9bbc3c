//! Bytes as a KISS stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::kiss::fuzz::stream(bytes));
