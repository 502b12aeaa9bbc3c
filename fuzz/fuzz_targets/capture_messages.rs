//! Bytes as what a client and a server of an application say to each other.
#![no_main]

sojourn_fuzz::target!(sojourn_capture::ip::fuzz::messages);
