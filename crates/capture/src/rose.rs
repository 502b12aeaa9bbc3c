//! ROSE calls carried in the information fields of AX.25 links: X.25 virtual circuits, with separate logical channels
//! on each link.
//!
//! A call crosses several links. It is tracked on the link where its CALL REQUEST was heard first, and recognised on
//! the others by its stations and its random number. Calls whose set-up was not captured are not tracked.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::Address as Callsign;
use sojourn_protocols::rose::wire::{Body, Call, Packet, Subscriber};

use crate::ax25::heard::Heard;
use crate::connection::{Connection, Information, Numbers, Side};
use crate::{Address, FlowKey, Moment, Outcome, Service, Sink, Transaction};

/// Calls followed at a time, and calls remembered; all end when there are more.
const CALL_LIMIT: usize = 4096;

/// A medium and the source and destination of an AX.25 frame.
type Frame = (u32, Callsign, Callsign);
/// A medium, the two ends of a link, the lower first, and a logical channel.
type Channel = (u32, Callsign, Callsign, u16);
/// What identifies a call on every link: caller, called station and random number.
type Identity = (Option<Callsign>, Option<Callsign>, u16);

/// The calls of a capture.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: BTreeMap<Channel, Followed>,
    known: BTreeSet<Identity>,
}

#[derive(Debug)]
struct Followed {
    connection: Connection,
    identity: Identity,
    caller_end: Callsign,
    begin: Moment,
    up: bool,
}

impl Calls {
    /// Takes the information of a new I frame with the protocol identifier of X.25.
    pub fn packet(&mut self, frame: Frame, bytes: &[u8], heard: &Heard<'_>, out: &mut Sink) {
        let time = heard.time;
        let packet = match Packet::parse(bytes) {
            Ok(packet) => packet,
            Err(error) => return heard.malformed("ROSE", error, out),
        };
        let (medium, source, destination) = frame;
        let channel = (medium, source.min(destination), source.max(destination), packet.channel);
        match packet.body {
            Body::CallRequest(call) => self.requested(channel, source, &call, time, out),
            Body::CallAccepted => self.accepted(channel, time, out),
            Body::ClearRequest { .. } | Body::ResetRequest { .. } => self.ended(channel, time, out),
            Body::RestartRequest { .. } => self.restarted(channel, time, out),
            Body::Data { p_s, p_r, data, .. } => {
                self.acknowledged(channel, source, p_r, time);
                if let Some(call) = self.calls.get_mut(&channel) {
                    let (l3_bytes, l4_bytes) = (heard.octets(bytes), heard.octets(data));
                    let packet = Information { number: p_s, time, hops_left: 0, l3_bytes, l4_bytes };
                    call.connection.information(call.side(source), packet, out);
                }
            }
            Body::ReceiveReady { p_r } | Body::ReceiveNotReady { p_r } | Body::Reject { p_r } => {
                self.acknowledged(channel, source, p_r, time);
            }
            _ => {}
        }
    }

    fn requested(&mut self, channel: Channel, caller_end: Callsign, call: &Call, time: Time, out: &mut Sink) {
        let station = |subscriber: Option<Subscriber>| subscriber.map(|end| end.station);
        let (from, to) = (station(call.facilities.source), station(call.facilities.destination));
        let identity = (from, to, call.facilities.random);
        if self.calls.len() >= CALL_LIMIT || self.known.len() >= CALL_LIMIT {
            out.note("More than 4096 ROSE calls: all of them were taken as ended.");
            self.finish(out);
        }
        if !self.known.insert(identity) {
            return;
        }
        let address = |station: Option<Callsign>| station.map_or(Address::Unknown, Address::Callsign);
        let flow = out.flow(FlowKey { from: address(from), to: address(to), service: Service::Rose });
        let connection = Connection::new(flow, Numbers::Modulo8, true);
        let begin = out.moment(time);
        let former = self.calls.insert(channel, Followed { connection, identity, caller_end, begin, up: false });
        if let Some(former) = former {
            self.end(former, None, out);
        }
    }

    fn accepted(&mut self, channel: Channel, time: Time, out: &mut Sink) {
        if let Some(call) = self.calls.get_mut(&channel).filter(|call| !call.up) {
            call.up = true;
            out.sample(call.connection.flow(), "connect_time", time, time.since(call.begin.time));
        }
    }

    fn acknowledged(&mut self, channel: Channel, source: Callsign, p_r: u8, time: Time) {
        if let Some(call) = self.calls.get_mut(&channel) {
            call.connection.acknowledged(call.side(source), p_r, time, 0);
        }
    }

    fn ended(&mut self, channel: Channel, time: Time, out: &mut Sink) {
        if let Some(call) = self.calls.remove(&channel) {
            self.end(call, Some(time), out);
        }
    }

    /// A restart clears all calls of a link.
    fn restarted(&mut self, (medium, low, high, _): Channel, time: Time, out: &mut Sink) {
        let on_link: Vec<Channel> = self
            .calls
            .range((medium, low, high, 0)..=(medium, low, high, u16::MAX))
            .map(|(channel, _)| *channel)
            .collect();
        on_link.into_iter().for_each(|channel| self.ended(channel, time, out));
    }

    /// A call ends; one that was cleared before it was accepted was refused.
    fn end(&mut self, mut call: Followed, cleared: Option<Time>, out: &mut Sink) {
        self.known.remove(&call.identity);
        if !call.up {
            let outcome = if cleared.is_some() { Outcome::Refused } else { Outcome::Unanswered };
            let cleared = cleared.map(|time| out.moment(time));
            out.transaction(Transaction::of(call.connection.flow(), call.begin, cleared, outcome));
        }
        call.connection.finish(out);
    }

    /// Ends all calls.
    pub fn finish(&mut self, out: &mut Sink) {
        for call in std::mem::take(&mut self.calls).into_values() {
            self.end(call, None, out);
        }
        self.known.clear();
    }
}

impl Followed {
    fn side(&self, source: Callsign) -> Side {
        if source == self.caller_end { Side::Initiator } else { Side::Responder }
    }
}
