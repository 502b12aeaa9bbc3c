//! Bytes as the results of a measurement that bounds are compared with.
#![no_main]

sojourn_fuzz::target!(sojourn_lab::fuzz::measured);
