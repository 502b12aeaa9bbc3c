//! Bytes as a scenario or a measurement.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_catalogue::fuzz::document(bytes));
