//! Bytes as frames that a listener on an MS/TP trunk hears.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::mstp_trunk::fuzz::frames);
