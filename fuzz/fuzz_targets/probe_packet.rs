//! Bytes as a packet of the measurement protocol.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::probe::wire::fuzz::packet);
