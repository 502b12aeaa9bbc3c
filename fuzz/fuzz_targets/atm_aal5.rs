//! Bytes as an AAL5 frame, and as cells of 53 octets that are to become packets.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::atm::fuzz::aal5);
