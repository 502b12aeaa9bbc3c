//! Bytes as frames of a capture of MS/TP and Modbus lines.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::fuzz::serial_lines);
