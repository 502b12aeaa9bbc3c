//! Bytes as frames to clients of UDS and CANopen and to a node that answers them.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::can_frames);
