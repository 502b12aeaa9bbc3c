//! Bytes as the information of a NET/ROM frame.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::netrom::wire::fuzz::information);
