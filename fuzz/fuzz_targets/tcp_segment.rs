//! Bytes as a TCP segment.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::tcp::wire::fuzz::segment);
