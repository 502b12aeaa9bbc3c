//! Bytes as LonTalk packets of a capture.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::lontalk);
