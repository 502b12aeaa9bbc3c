//! Packets that tests capture.

use std::net::Ipv4Addr;

/// An address and a port.
pub(super) type End = (Ipv4Addr, u16);

fn packet(protocol: u8, from: End, to: End, transport: &[u8]) -> Vec<u8> {
    let length = (20 + transport.len() as u16).to_be_bytes();
    let header = [0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    [&header[..], &from.0.octets(), &to.0.octets(), transport].concat()
}

/// A datagram of UDP.
pub(super) fn datagram(from: End, to: End, data: &[u8]) -> Vec<u8> {
    let length = 8 + data.len() as u16;
    let words = [from.1, to.1, length, 0].map(u16::to_be_bytes);
    packet(17, from, to, &[&words.concat()[..], data].concat())
}

/// A segment of TCP with these numbers and flags.
pub(super) fn segment(from: End, to: End, (seq, ack, flags): (u32, u32, u8), data: &[u8]) -> Vec<u8> {
    let ports = [from.1, to.1].map(u16::to_be_bytes).concat();
    let numbers = [seq, ack].map(u32::to_be_bytes).concat();
    packet(6, from, to, &[&ports[..], &numbers, &[0x50, flags, 0xff, 0xff, 0, 0, 0, 0], data].concat())
}
