//! Bytes as XTP packets of a capture.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::xtp);
