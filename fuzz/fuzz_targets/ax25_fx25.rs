//! Bytes as the bits that a receiver of FX.25 hears, and as blocks of each format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::ax25::hdlc::fx25::any_bits(bytes));
