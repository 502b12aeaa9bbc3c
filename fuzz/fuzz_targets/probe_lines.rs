//! Bytes as the lines of a connection with an agent.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::probe::lines::any_octets(bytes));
