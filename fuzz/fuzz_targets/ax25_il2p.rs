//! Bytes as the bits that a receiver of IL2P hears, and as frames that are encoded and received.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::ax25::il2p::fuzz::octets);
