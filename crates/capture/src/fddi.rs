//! FDDI rings (link type 10): tokens, frames of every class, and the packets in LLC frames.
//!
//! ```text
//! FC 1 | DA 6 | SA 6 | INFO       a record: addresses bit-reversed, without preamble, delimiters, FCS and frame status
//! ```
//!
//! Utilization counts all octets on the ring, from preamble to frame status, at 100 Mbit/s. A token counts only where
//! the capture contains it, which most adapters do not record.

use sojourn_protocols::fddi::{Frame, FrameControl, ParseError, TOKEN_LENGTH, Token, wire_length};

use crate::ip::IpTracker;
use crate::ip::link::{Carried, logical_link};
use crate::{Address, FlowKey, Packet, Sent, Service, Sink};

/// Bit rate of a ring in bit/s.
pub const BIT_RATE: u64 = 100_000_000;

/// Octets of the frame check sequence, which a capture lacks.
const FCS_LENGTH: usize = 4;

/// Takes a packet of link type 10; what its frame carries goes to `ip`.
pub(crate) fn packet(packet: &Packet<'_>, ip: &mut IpTracker, out: &mut Sink) {
    if packet.data.first().is_some_and(|&control| Token::parse(control).is_some()) {
        return token(packet, out);
    }
    let mac_length = (packet.original_length as usize).saturating_add(FCS_LENGTH);
    match Frame::parse_without_fcs(packet.data) {
        Ok(frame) => {
            out.busy(packet.interface, packet.time, wire_length(mac_length) as u64 * 8);
            frame_of(packet, &frame, ip, out);
        }
        Err(ParseError::TooShort(_)) => out.unparsed(packet, "FDDI", "shorter than frame control and addresses"),
        Err(error) => out.unparsed(packet, "FDDI", error),
    }
}

fn token(packet: &Packet<'_>, out: &mut Sink) {
    out.busy(packet.interface, packet.time, TOKEN_LENGTH as u64 * 8);
    let [from, to] = [Address::Unknown; 2];
    let flow = out.flow(FlowKey { from, to, service: Service::Other(packet.data[0].into()) });
    out.count(flow, "tokens", 1);
}

fn frame_of(packet: &Packet<'_>, frame: &Frame<&[u8]>, ip: &mut IpTracker, out: &mut Sink) {
    let stations = [frame.source, frame.destination].map(|address| Address::Mac(address.0));
    match frame.control {
        FrameControl::AsynchronousLlc(_) | FrameControl::SynchronousLlc(_) => match logical_link(frame.information) {
            Ok((ether_type, bytes)) => ip.carried(packet, &Carried { ether_type, stations, within: None, bytes }, out),
            Err(error) => out.unparsed(packet, "LLC", error),
        },
        control => {
            let [from, to] = stations;
            let flow = out.flow(FlowKey { from, to, service: Service::Other(control.byte().into()) });
            let l3_bytes = frame.information.len() as u32;
            out.sent(Sent { flow, time: packet.time, forward: true, l3_bytes, l4_bytes: 0, repeated: false });
        }
    }
}
