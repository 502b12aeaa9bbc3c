//! Bytes as frames of a capture that carry IP.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sojourn_capture::ip::fuzz::frames(bytes);
});
