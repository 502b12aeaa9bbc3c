//! Bytes as what a Modbus client and a server read from their line or connection.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::modbus_line);
