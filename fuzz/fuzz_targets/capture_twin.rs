//! Bytes as LonTalk packets, AX.25 frames, packets of IP, and frames of MS/TP, Modbus and CAN of a capture that a scenario is inferred from.
#![no_main]

sojourn_fuzz::target!(
    sojourn_twin::fuzz::packets,
    sojourn_twin::fuzz::frames,
    sojourn_twin::fuzz::datagrams,
    sojourn_twin::fuzz::serial,
    sojourn_twin::fuzz::can_frames
);
