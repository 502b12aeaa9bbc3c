//! Bytes as service data objects of CANopen for a client and a server.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::sdo);
