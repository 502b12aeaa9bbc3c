//! Bytes as the bits that a receiver hears.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::ax25::hdlc::fuzz::bits);
