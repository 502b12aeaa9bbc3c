//! Bytes as the octets of an MS/TP line and as a frame.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::mstp::wire::fuzz::octets);
