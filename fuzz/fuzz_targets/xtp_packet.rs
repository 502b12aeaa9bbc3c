//! Bytes as an XTP packet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::xtp::wire::fuzz::packet(bytes));
