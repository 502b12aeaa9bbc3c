//! BACnet over MS/TP: confirmed requests and their answers, at once or postponed, and what the stations of a trunk do.
//!
//! ```text
//! link type 165   frame from its preamble 55 FF to its last CRC
//! ```
//!
//! A request is named by its invoke ID, its client and its server; a router stands for the devices behind it, whose addresses
//! are part of the name. A reply that is postponed comes with a later token of the server: the response time counts until
//! then. Frames are stamped at their end.
//!
//! Metrics: `token_rotation` of each station, `reply_postponed`, `token_retries`, `tokens_lost`, `polls_for_master`; the times of stations
//! are those of [`Trunk`].

#[cfg(test)]
mod tests;
mod trunks;

use sojourn_core::Time;
use sojourn_protocols::mstp::BROADCAST;
use sojourn_protocols::mstp::wire::{Frame, FrameType};

pub use self::trunks::TrunkStations;
use self::trunks::Trunks;
use crate::ip::application::{Message, bacnet};
use crate::ip::requests::Requests;
use crate::{Address, FlowId, FlowKey, Outcome, Packet, Sent, Service, Sink, Tracker, Transaction};

/// Bits of a character.
const CHARACTER_BITS: u64 = 10;
/// Octets around the data of a frame: preamble, header and data CRC.
const AROUND_DATA: u32 = 10;

/// What names a request: interface, client, server, and the name that both have for it.
type RequestKey = (u32, u8, u8, u64);

/// Follows the requests over trunks, and their stations.
#[derive(Debug, Default)]
pub struct Mstp {
    requests: Requests<RequestKey>,
    trunks: Trunks,
    decoded: Vec<u8>,
}

impl Tracker for Mstp {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        out.busy(packet.interface, packet.time, u64::from(packet.original_length) * CHARACTER_BITS);
        let mut decoded = std::mem::take(&mut self.decoded);
        match Frame::parse(packet.data, &mut decoded) {
            Ok(frame) => self.frame(packet, &frame, out),
            Err(fault) => {
                self.trunks.invalid(packet.interface, out);
                out.unparsed(packet, "MS/TP", fault);
            }
        }
        self.decoded = decoded;
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        self.requests.finish(end, out);
        self.trunks.finish(out);
    }
}

impl Mstp {
    fn frame(&mut self, packet: &Packet<'_>, frame: &Frame<&[u8]>, out: &mut Sink) {
        let seen = self.trunks.frame(packet, frame, out);
        match frame.kind {
            FrameType::ReplyPostponed => self.postponed(packet, frame, out),
            kind if kind.is_data() => self.data(packet, frame, out),
            kind => {
                // a poll goes to an address that hardly ever answers: no station of the trunk
                let to =
                    if kind == FrameType::PollForMaster { Address::Unknown } else { Address::Mstp(frame.destination) };
                let flow = out.flow(FlowKey { from: Address::Mstp(frame.source), to, service: Service::Mstp });
                self.trunks.report(&seen, kind, flow, packet.time, out);
                sent(packet, flow, true, 0, seen.token_retry, out);
            }
        }
    }

    /// The server needs longer than it may take: its answer comes with a token of its own.
    fn postponed(&mut self, packet: &Packet<'_>, frame: &Frame<&[u8]>, out: &mut Sink) {
        let flow = out.flow(confirmed(frame.destination, frame.source));
        out.count(flow, "reply_postponed", 1);
        sent(packet, flow, false, 0, false, out);
    }

    fn data(&mut self, packet: &Packet<'_>, frame: &Frame<&[u8]>, out: &mut Sink) {
        let Frame { destination, source, data, .. } = *frame;
        let (octets, moment) = (data.len() as u32, out.moment(packet.time));
        let message = bacnet::read_npdu(data).filter(|_| destination != BROADCAST);
        match message {
            Some(Message::Request(name)) => {
                let flow = out.flow(confirmed(source, destination));
                let key = (packet.interface, source, destination, name);
                let repeated = self.requests.request(key, flow, moment, octets, out);
                sent(packet, flow, true, octets, repeated, out);
            }
            Some(message @ (Message::Answer(name) | Message::Part(name) | Message::Refusal(name))) => {
                let flow = out.flow(confirmed(destination, source));
                let key = (packet.interface, destination, source, name);
                sent(packet, flow, false, octets, false, out);
                if let Some(answered) = self.requests.answer(key, message, (flow, octets), moment, out) {
                    out.complete(answered.flow, answered.begin, packet.time);
                }
            }
            _ => {
                let (from, to) = (Address::Mstp(source), Address::Mstp(destination));
                let flow = out.flow(FlowKey { from, to, service: Service::BacnetUnconfirmed });
                sent(packet, flow, true, octets, false, out);
                let of = Transaction::of(flow, moment, None, Outcome::Sent);
                out.transaction(Transaction { request_bytes: octets, ..of });
            }
        }
    }
}

/// The confirmed requests of a client to a server.
fn confirmed(client: u8, server: u8) -> FlowKey {
    FlowKey { from: Address::Mstp(client), to: Address::Mstp(server), service: Service::Bacnet }
}

fn sent(packet: &Packet<'_>, flow: FlowId, forward: bool, l4_bytes: u32, repeated: bool, out: &mut Sink) {
    let l3_bytes = packet.original_length.saturating_sub(AROUND_DATA);
    out.sent(Sent { flow, time: packet.time, forward, l3_bytes, l4_bytes, repeated });
}
