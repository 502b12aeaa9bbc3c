//! Bytes as a KISS stream.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::kiss::fuzz::stream);
