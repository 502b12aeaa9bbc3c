//! Bytes as an ICMP message.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::icmp::fuzz::message);
