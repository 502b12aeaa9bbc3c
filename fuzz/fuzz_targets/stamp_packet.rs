//! Bytes as a STAMP test packet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::stamp::fuzz::packet(bytes));
