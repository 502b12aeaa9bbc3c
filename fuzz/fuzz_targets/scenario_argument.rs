//! Bytes as an argument of the command line.
#![no_main]

sojourn_fuzz::target!(sojourn_catalogue::fuzz::argument);
