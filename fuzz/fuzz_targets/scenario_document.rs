//! Bytes as a scenario or a measurement.
#![no_main]

sojourn_fuzz::target!(sojourn_catalogue::fuzz::document);
