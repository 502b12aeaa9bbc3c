//! Bytes as frames of a capture of FDDI and ATM.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::frames);
