//! Bytes as the bits that a receiver of IL2P hears, and as frames that are encoded and received.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sojourn_protocols::ax25::il2p::fuzz::octets(bytes));
