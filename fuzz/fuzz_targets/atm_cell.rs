//! Bytes as an ATM cell, its resource management among it.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::atm::fuzz::cell);
