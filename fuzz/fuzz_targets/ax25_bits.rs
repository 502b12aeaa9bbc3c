//! Bytes as the bits that a receiver hears.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::ax25::hdlc::fuzz::bits(bytes));
