//! Bytes as the bits that a receiver of FX.25 hears, and as blocks of each format.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::ax25::hdlc::fx25::any_bits);
