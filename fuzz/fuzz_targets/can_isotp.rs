//! Bytes as frames of ISO-TP for both of its ends.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::isotp);
