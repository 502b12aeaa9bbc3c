//! Bytes as the URL of a target.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::url);
