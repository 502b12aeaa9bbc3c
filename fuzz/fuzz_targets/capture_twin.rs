//! Bytes as LonTalk packets, AX.25 frames and packets of IP of a capture that a scenario is inferred from.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sojourn_capture::twin::fuzz::packets(bytes);
    sojourn_capture::twin::fuzz::frames(bytes);
    sojourn_capture::twin::fuzz::datagrams(bytes);
});
