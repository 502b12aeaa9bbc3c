//! Text as lines of candump.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::candump);
