//! Bytes as what all the world says to an agent.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sojourn_protocols::probe::server::fuzz::dialogue(bytes);
});
