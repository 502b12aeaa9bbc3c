//! Bytes as an AX.25 frame, modulo 8 and modulo 128.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::ax25::wire::fuzz::frame);
