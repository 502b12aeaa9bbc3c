//! Bytes as an argument of the command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_catalogue::fuzz::argument(bytes));
