//! Bytes as a record of a SocketCAN capture.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::socketcan);
