//! Bytes as a STAMP test packet.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::stamp::fuzz::packet);
