//! Bytes as the file of a rate over time that a link names.
#![no_main]

sojourn_fuzz::target!(sojourn_catalogue::fuzz::rate_trace);
