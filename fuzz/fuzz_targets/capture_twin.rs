//! Bytes as LonTalk packets, AX.25 frames and packets of IP of a capture that a scenario is inferred from.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sojourn_twin::fuzz::packets(bytes);
    sojourn_twin::fuzz::frames(bytes);
    sojourn_twin::fuzz::datagrams(bytes);
});
