//! Frames of every class, for tests, fuzzing and captures.

use super::address::Address;
use super::control::FrameControl;
use super::frame::Frame;

/// An empty IPv4 packet with LLC and SNAP headers.
const IP: &[u8] = &[
    0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00, 0x45, 0, 0, 20, 0, 0, 0x40, 0, 64, 253, 0x25, 0xeb, 10, 0, 0, 1, 10, 0, 0, 2,
];
/// The EtherType of XTP and four bytes that are not a valid packet.
const XTP: &[u8] = &[0xaa, 0xaa, 0x03, 0, 0, 0, 0x81, 0x7d, 1, 2, 3, 4];
/// A bid of 8 ms: 100 000 units of 80 ns, two's complement.
const BID: &[u8] = &[0xff, 0xfe, 0x79, 0x60];

/// Frames, each with a description.
pub fn examples() -> Vec<(&'static str, Frame<&'static [u8]>)> {
    let (one, two) = (Address::local(1), Address::local(2));
    let frame = |control, destination, information| Frame { control, destination, source: one, information };
    vec![
        ("asynchronous LLC with IP", frame(FrameControl::AsynchronousLlc(4), two, IP)),
        ("synchronous LLC", frame(FrameControl::SynchronousLlc(0), two, XTP)),
        ("broadcast", frame(FrameControl::AsynchronousLlc(0), Address::BROADCAST, IP)),
        ("group", frame(FrameControl::SynchronousLlc(0), Address::local_group(7), XTP)),
        ("claim", frame(FrameControl::Claim, one, BID)),
        ("beacon", frame(FrameControl::Beacon, Address::default(), &[1, 0, 0, 0])),
        ("void", frame(FrameControl::Void { long: false }, one, &[])),
        ("void with long addresses", frame(FrameControl::Void { long: true }, one, &[])),
        ("station management", frame(FrameControl::StationManagement(1), two, &[0x2a; 30])),
        ("next-station addressing", frame(FrameControl::StationManagement(15), Address::BROADCAST, &[0x2a; 30])),
        ("implementer, asynchronous", frame(FrameControl::AsynchronousImplementer(3), two, &[1, 2])),
        ("implementer, synchronous", frame(FrameControl::SynchronousImplementer(9), two, &[1, 2])),
        ("longest", frame(FrameControl::AsynchronousLlc(7), two, &[0x55; 4478])),
    ]
}
