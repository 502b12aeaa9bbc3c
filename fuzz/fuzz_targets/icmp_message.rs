//! Bytes as an ICMP message.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::icmp::fuzz::message(bytes));
