//! Bytes as a PDU of Modbus, as characters of a serial line and as a stream of TCP.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::modbus::fuzz::stream);
