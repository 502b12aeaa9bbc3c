//! Bytes as a packet of the measurement protocol.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::probe::wire::fuzz::packet(bytes));
