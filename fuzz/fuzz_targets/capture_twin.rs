//! Bytes as LonTalk packets of a capture that a scenario is inferred from.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_capture::twin::fuzz::packets(bytes));
