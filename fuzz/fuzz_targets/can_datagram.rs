//! Bytes as a datagram of python-can's multicast bus.
#![no_main]

sojourn_fuzz::target!(sojourn_protocols::can::fuzz::datagram);
