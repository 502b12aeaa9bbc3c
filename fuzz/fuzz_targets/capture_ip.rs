//! Bytes as frames of a capture that carry IP.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::ip::fuzz::frames);
