//! Bytes as an XTP packet.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::xtp::wire::fuzz::packet);
