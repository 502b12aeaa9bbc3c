//! LonTalk transactions, identified by addresses and transaction numbers (ISO/IEC 14908-1, 8).
//!
//! A node has one open transaction of each priority class; the first packet of its next transaction ends the previous
//! one. All attempts of a transaction have the same number, destination and service; acknowledgements and responses
//! return the number. A number is not reused to a destination within 24 s, so a transaction that has been silent for
//! longer is over.
//!
//! A router forwards a packet unaltered. In a capture of several channels (interfaces, or sessions of LON/IP) a copy on
//! another channel is therefore the same attempt, and the answer that counts is the one on the channel of the initiator.
//!
//! Memory is bounded by [`NODE_LIMIT`] nodes, each with one transaction of each priority.

mod carrier;
mod open;
mod unacknowledged;

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};
use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::lonip::DataPacket;
use sojourn_protocols::lontalk::wire::{
    Apdu, AuthKind, Body, Destination, Domain, Members, Numbering, Packet as Lpdu, ParseError, Spdu, SubnetNode, Tpdu,
};

pub use carrier::{LonIp, lonip};

use crate::{
    Address, FlowId, FlowKey, LinkType, LonTalkService, Outcome, Packet, Sent, Service, Sink, Tracker, Transaction,
};
use open::{Kind, MEMORY, OpenTransaction, Place};
use unacknowledged::Recent;

/// Nodes followed, each priority counted on its own; further ones are counted and not followed.
pub const NODE_LIMIT: usize = 131_072;

/// Bits of a packet on a twisted-pair channel beside its LPDU: preamble, byte synchronization and line-code violation.
const FRAMING_BITS: u64 = 8 + 1 + 3;

/// Channels whose utilization is counted apart.
const CHANNEL_LIMIT: usize = 256;

/// How often transactions that are over are closed.
const SWEEP: Duration = Duration::from_secs(8);

/// Follows the transactions of LonTalk nodes.
#[derive(Debug, Default)]
pub struct LonTalkTracker {
    nodes: IndexMap<NodeKey, Option<OpenTransaction>, FixedState>,
    /// Members of each group flow that have answered one message, at most.
    group_sizes: IndexMap<FlowId, u8, FixedState>,
    recent: Recent,
    /// Channels: interface and session.
    channels: IndexSet<(u32, u32), FixedState>,
    next_sweep: Time,
    /// Packets whose CRC fits, does not, and is left 0 in a datagram.
    checked: [u64; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct NodeKey {
    domain: [u8; 7],
    node: SubnetNode,
    priority: bool,
}

/// A packet and whether its CRC was left out, or why it cannot be read.
type Parsed<'a> = Result<(Lpdu<&'a [u8]>, bool), ParseError>;

/// A packet with what all handlers of its parts need.
struct Captured<'a> {
    now: Time,
    place: Place,
    lpdu: Lpdu<&'a [u8]>,
    domain: [u8; 7],
    length: u32,
}

impl Tracker for LonTalkTracker {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        if packet.link_type == LinkType::LONTALK {
            let parsed = Lpdu::parse(packet.data).map(|lpdu| (lpdu, false));
            let place = Place { channel: (packet.interface, 0), to: [0; 4] };
            return self.captured(packet, (packet.data, parsed), place, out);
        }
        let Some(carried) = lonip(packet) else { return };
        match DataPacket::parse(carried.payload) {
            Ok(data) => {
                let place = Place { channel: (packet.interface, data.session), to: carried.to };
                self.captured(packet, (data.lpdu, Lpdu::parse_of_datagram(data.lpdu)), place, out);
            }
            Err(_) if (packet.data.len() as u64) < u64::from(packet.original_length) => {
                out.malformed(packet.number, "LON/IP", "cut by the snap length of the capture");
            }
            Err(error) => out.malformed(packet.number, "LON/IP", error),
        }
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        let Self { nodes, group_sizes, .. } = self;
        for open in nodes.values_mut().filter_map(Option::take) {
            report(&open, Some(end), group_sizes, out);
        }
        let [right, wrong, blank] = self.checked;
        if blank > 0 {
            let of = right + wrong + blank;
            out.note(format!(
                "{blank} of {of} LonTalk packets have a CRC of 0 in their datagrams: their sender leaves it out, and the checksum of \
                 UDP stands for it."
            ));
        }
        if right + blank == 0 && wrong > 0 {
            out.note("No LonTalk packet has a CRC that fits: their sender may leave it out, or the capture cuts it.");
        }
    }
}

impl LonTalkTracker {
    /// Takes a packet of a channel, with what it was parsed to and whether its CRC was left out.
    fn captured(&mut self, packet: &Packet<'_>, (bytes, parsed): (&[u8], Parsed<'_>), place: Place, out: &mut Sink) {
        let length = bytes.len() as u32;
        let medium = self.medium(place.channel, out);
        out.busy(medium, packet.time, u64::from(length) * 8 + FRAMING_BITS);
        match parsed {
            Ok((lpdu, is_blank)) => {
                self.checked[if is_blank { 2 } else { 0 }] += 1;
                let domain = domain(&lpdu.domain);
                self.sweep(packet.time, out);
                self.lpdu(&Captured { now: packet.time, place, lpdu, domain, length }, out);
            }
            Err(error) => {
                self.checked[1] += u64::from(matches!(error, ParseError::Crc { .. }));
                out.malformed(packet.number, "LonTalk", error);
            }
        }
    }

    fn lpdu(&mut self, captured: &Captured<'_>, out: &mut Sink) {
        match &captured.lpdu.body {
            Body::Application(apdu) => self.unacknowledged(captured, apdu, out),
            Body::Transport(numbering, pdu) => match pdu {
                Tpdu::Acknowledged(apdu) => self.message(captured, numbering, Kind::Acknowledged, None, apdu, out),
                Tpdu::ReminderMessage(members, apdu) => {
                    self.message(captured, numbering, Kind::Acknowledged, Some(*members), apdu, out);
                }
                Tpdu::Repeated(apdu) => self.message(captured, numbering, Kind::Repeated, None, apdu, out),
                Tpdu::Reminder(_) => self.aside(captured, captured.lpdu.source, numbering.transaction, true, out),
                Tpdu::Acknowledgement => self.answer(captured, numbering, Kind::Acknowledged, 0, out),
            },
            Body::Session(numbering, pdu) => match pdu {
                Spdu::Request(apdu) => self.message(captured, numbering, Kind::Request, None, apdu, out),
                Spdu::ReminderMessage(members, apdu) => {
                    self.message(captured, numbering, Kind::Request, Some(*members), apdu, out);
                }
                Spdu::Reminder(_) => self.aside(captured, captured.lpdu.source, numbering.transaction, true, out),
                Spdu::Response(apdu) => {
                    self.answer(captured, numbering, Kind::Request, apdu.data.len() as u32, out);
                }
            },
            // a challenge returns to the initiator, the reply comes from it
            Body::Authentication(pdu) => match (pdu.kind, initiator(&captured.lpdu.destination)) {
                (AuthKind::Challenge, Some(node)) => self.aside(captured, node, pdu.transaction, false, out),
                (AuthKind::Challenge, None) => {}
                (AuthKind::Reply, _) => self.aside(captured, captured.lpdu.source, pdu.transaction, true, out),
            },
        }
    }

    /// A message of unacknowledged service: a transaction of one packet.
    fn unacknowledged(&mut self, captured: &Captured<'_>, apdu: &Apdu<&[u8]>, out: &mut Sink) {
        let flow = out.flow(key(captured, LonTalkService::Unacknowledged));
        let bytes = apdu.data.len() as u32;
        let forwarded = self.recent.is_copy(captured.now, captured.place, flow, apdu.data);
        sent(captured, flow, true, bytes, forwarded, out);
        if !forwarded {
            let of = Transaction::of(flow, out.moment(captured.now), None, Outcome::Sent);
            out.transaction(Transaction { request_bytes: bytes, ..of });
        }
    }

    /// An attempt of a message that has a transaction number.
    fn message(
        &mut self,
        captured: &Captured<'_>,
        numbering: &Numbering,
        kind: Kind,
        reminded: Option<Members>,
        apdu: &Apdu<&[u8]>,
        out: &mut Sink,
    ) {
        let Captured { now, place, lpdu, .. } = captured;
        let (number, destination, bytes) = (numbering.transaction, lpdu.destination, apdu.data.len() as u32);
        let Some(node) = self.node(captured, lpdu.source, out) else { return };
        let known = self.nodes[node].as_mut().filter(|open| open.is(*now, number, kind, &destination));
        if let Some(open) = known {
            open.carries(bytes);
            let (flow, _) = (open.flow, open.copy(*now, *place));
            return sent(captured, flow, true, bytes, true, out);
        }
        let flow = out.flow(key(captured, service(kind, numbering.authenticated)));
        let mut open = OpenTransaction::new(out.moment(*now), *place, flow, number, kind, destination);
        open.carries(bytes);
        // a reminder lists who has acknowledged an attempt before
        let open = reminded.into_iter().fold(open, OpenTransaction::begun_before);
        let repeated = reminded.is_some();
        if let Some(last) = self.nodes[node].replace(open) {
            report(&last, None, &mut self.group_sizes, out);
        }
        sent(captured, flow, true, bytes, repeated, out);
    }

    /// An acknowledgement or a response.
    fn answer(&mut self, captured: &Captured<'_>, numbering: &Numbering, kind: Kind, bytes: u32, out: &mut Sink) {
        let Captured { now, place, lpdu, .. } = captured;
        let Some(initiator) = initiator(&lpdu.destination) else { return };
        let known = self.nodes.get_mut(&node_key(captured, initiator));
        let first_seen = known.is_none();
        let open = known
            .and_then(Option::as_mut)
            .filter(|open| open.is_answered_by(kind, numbering.transaction, lpdu.source, &lpdu.destination));
        if let Some(open) = open {
            let before = open.answers();
            open.answer(out.moment(*now), *place, &lpdu.destination, bytes);
            let (flow, repeated) = (open.flow, open.answers() == before);
            return sent(captured, flow, false, bytes, repeated, out);
        }
        let flow = out.flow(FlowKey {
            from: Address::LonTalk(captured.domain, initiator),
            to: Address::LonTalk(captured.domain, lpdu.source),
            service: Service::LonTalk(service(kind, false)),
        });
        sent(captured, flow, false, bytes, false, out);
        if first_seen && now.since(Time::ZERO) <= MEMORY {
            let of = Transaction::of(flow, out.moment(*now), None, Outcome::BeganBefore);
            out.transaction(Transaction { answer_bytes: bytes, ..of });
        } else {
            out.count(flow, "late_acknowledgements", 1);
        }
    }

    /// A reminder, challenge or reply, which neither begins nor answers a transaction of `initiator`.
    fn aside(&mut self, captured: &Captured<'_>, initiator: SubnetNode, number: u8, forward: bool, out: &mut Sink) {
        let open = self.nodes.get_mut(&node_key(captured, initiator)).and_then(Option::as_mut);
        if let Some(open) = open.filter(|open| open.number == number) {
            open.last = captured.now;
            let flow = open.flow;
            sent(captured, flow, forward, 0, false, out);
        }
    }

    /// The place of a node and the packet's priority; `None` beyond the limit.
    fn node(&mut self, captured: &Captured<'_>, node: SubnetNode, out: &mut Sink) -> Option<usize> {
        let key = node_key(captured, node);
        if self.nodes.len() >= NODE_LIMIT && !self.nodes.contains_key(&key) {
            out.note(
                "There are more LonTalk nodes than are followed; the transactions of further ones are not counted.",
            );
            return None;
        }
        let entry = self.nodes.entry(key);
        let place = entry.index();
        entry.or_default();
        Some(place)
    }

    /// The number of a channel; those beyond the limit share the last.
    #[inline]
    fn medium(&mut self, channel: (u32, u32), out: &mut Sink) -> u32 {
        if let Some(known) = self.channels.get_index_of(&channel) {
            return known as u32;
        }
        if self.channels.len() == 1 {
            out.note("Each session of LON/IP is taken as a channel: `utilisation` is their mean.");
        }
        if self.channels.len() < CHANNEL_LIMIT {
            self.channels.insert(channel);
        }
        self.channels.len() as u32 - 1
    }

    /// Closes what has been silent for longer than a transaction lasts.
    #[inline]
    fn sweep(&mut self, now: Time, out: &mut Sink) {
        if now < self.next_sweep {
            return;
        }
        self.next_sweep = now + SWEEP;
        let Self { nodes, group_sizes, .. } = self;
        for open in nodes.values_mut() {
            if let Some(over) = open.take_if(|open| now.since(open.last) > MEMORY) {
                report(&over, None, group_sizes, out);
            }
        }
    }
}

/// Reports a transaction that is over. One to a group is complete when as many members have answered as ever did.
fn report(
    open: &OpenTransaction,
    end: Option<Time>,
    group_sizes: &mut IndexMap<FlowId, u8, FixedState>,
    out: &mut Sink,
) {
    let expected = match open.destination {
        Destination::Group { .. } if open.kind != Kind::Repeated => {
            out.note(
                "A capture does not show the members of a LonTalk group: a message to one counts as answered when as \
                 many have answered as ever answered one before.",
            );
            let most = group_sizes.entry(open.flow).or_default();
            *most = open.answers().max(*most);
            *most
        }
        _ => 1,
    };
    out.transaction(open.close(expected, end));
}

fn sent(captured: &Captured<'_>, flow: FlowId, forward: bool, l4_bytes: u32, repeated: bool, out: &mut Sink) {
    out.sent(Sent { flow, time: captured.now, forward, l3_bytes: captured.length, l4_bytes, repeated });
}

/// The node that this packet answers; `None` for a packet that answers none.
const fn initiator(destination: &Destination) -> Option<SubnetNode> {
    match *destination {
        Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => Some(node),
        _ => None,
    }
}

fn node_key(captured: &Captured<'_>, node: SubnetNode) -> NodeKey {
    NodeKey { domain: captured.domain, node, priority: captured.lpdu.link.priority }
}

fn key(captured: &Captured<'_>, service: LonTalkService) -> FlowKey {
    let Captured { lpdu, domain, .. } = captured;
    FlowKey {
        from: Address::LonTalk(*domain, lpdu.source),
        to: match lpdu.destination {
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => Address::LonTalk(*domain, node),
            Destination::Group { group } => Address::LonTalkGroup(*domain, group),
            Destination::Broadcast { subnet } => Address::LonTalkBroadcast(*domain, subnet),
            Destination::UniqueId { id, .. } => Address::UniqueId(id),
        },
        service: Service::LonTalk(service),
    }
}

const fn service(kind: Kind, authenticated: bool) -> LonTalkService {
    match (kind, authenticated) {
        (Kind::Repeated, _) => LonTalkService::Repeated,
        (Kind::Acknowledged, false) => LonTalkService::Acknowledged,
        (Kind::Acknowledged, true) => LonTalkService::Authenticated,
        (Kind::Request, false) => LonTalkService::RequestResponse,
        (Kind::Request, true) => LonTalkService::AuthenticatedRequestResponse,
    }
}

/// Length and identifier of a domain.
fn domain(domain: &Domain) -> [u8; 7] {
    let mut bytes = [0; 7];
    bytes[0] = domain.length() as u8;
    bytes[1..=domain.length()].copy_from_slice(domain.id());
    bytes
}

#[cfg(test)]
mod tests;
