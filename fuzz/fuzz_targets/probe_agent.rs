//! Bytes as what all the world says to an agent.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::probe::server::fuzz::dialogue);
