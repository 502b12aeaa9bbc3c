//! Bytes as frames of the transport protocol of J1939 for both of its ends.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::j1939);
