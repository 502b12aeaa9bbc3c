//! Bytes as a capture file.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::file);
