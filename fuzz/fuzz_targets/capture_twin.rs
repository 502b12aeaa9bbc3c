//! Bytes as LonTalk packets, AX.25 frames and packets of IP of a capture that a scenario is inferred from.
#![no_main]

sojourn_fuzz::target!(sojourn_twin::fuzz::packets, sojourn_twin::fuzz::frames, sojourn_twin::fuzz::datagrams);
