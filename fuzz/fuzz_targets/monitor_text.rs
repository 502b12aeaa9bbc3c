//! Bytes as the text of a monitor.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::monitor_text);
