//! Bytes as a packet of BACnet's network layer, with its application PDU.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::bacnet::fuzz::packet);
