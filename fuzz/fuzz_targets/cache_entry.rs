//! Bytes as the record of a replication, in an entry of the cache whose checksum is right.
#![no_main]

sojourn_fuzz::target!(sojourn_lab::fuzz::record);
