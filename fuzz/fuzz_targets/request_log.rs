//! Bytes as the request log of a measurement that did not end.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::request_log);
