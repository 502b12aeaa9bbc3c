//! Bytes as a LonTalk packet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::lontalk::wire::fuzz::lpdu(bytes));
