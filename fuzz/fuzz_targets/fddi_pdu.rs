//! Bytes as an FDDI token or frame.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::fddi::fuzz::pdu);
