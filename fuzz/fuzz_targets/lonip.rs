//! Bytes as the payload of a LON/IP datagram.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::lontalk::wire::fuzz::lonip);
