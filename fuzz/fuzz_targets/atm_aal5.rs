//! Bytes as an AAL5 frame, and as cells of 53 octets that are to become packets.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::atm::fuzz::aal5(bytes));
