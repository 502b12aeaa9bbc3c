//! Bytes as an ATM cell, its resource management among it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::atm::fuzz::cell(bytes));
