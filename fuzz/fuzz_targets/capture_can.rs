//! Bytes as frames of a capture of CAN.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::can);
