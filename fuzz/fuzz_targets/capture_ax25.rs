//! Bytes as frames of a capture of packet radio.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::ax25::fuzz::frames);
