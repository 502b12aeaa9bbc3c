//! Bytes as a LonTalk packet.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::lontalk::wire::fuzz::lpdu);
