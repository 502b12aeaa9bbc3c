//! Bytes as the table of stations that a scenario names.
#![no_main]

sojourn_fuzz::target!(sojourn_catalogue::fuzz::stations);
