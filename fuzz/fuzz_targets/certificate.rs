//! Bytes as the certificate of a server.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::certificate);
