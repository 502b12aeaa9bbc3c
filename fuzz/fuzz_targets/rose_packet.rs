//! Bytes as a ROSE packet.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::rose::wire::fuzz::packet);
