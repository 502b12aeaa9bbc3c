//! Bytes as a ROSE packet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::rose::wire::fuzz::packet(bytes));
