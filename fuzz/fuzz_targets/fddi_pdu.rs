//! Bytes as an FDDI token or frame.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::fddi::fuzz::pdu(bytes));
