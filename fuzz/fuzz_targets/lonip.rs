//! Bytes as the payload of a LON/IP datagram.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::lontalk::wire::fuzz::lonip(bytes));
