//! TCP connections: how much each side sends, and how long each takes to respond.

use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Header;

use super::flow_key::FlowKey;
use super::following::By;
use super::side::{Sent, Side, USUAL_SEGMENT};
use super::turns::{Data, Turns};
use sojourn_capture::Service;
use sojourn_capture::ip::endpoints::{Endpoint, Roles};
use sojourn_capture::ip::roles::Servers;

/// A segment as it was captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub from: Endpoint,
    pub to: Endpoint,
    pub header: Header,
    /// Octets of its data before the capture cut them.
    pub octets: u32,
    /// Octets of the packet of IP.
    pub l3_bytes: u32,
    pub time: Time,
}

/// What was seen of a connection.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub client: Endpoint,
    pub server: Endpoint,
    /// Its first and its last packet.
    pub begin: Time,
    pub end: Time,
    /// Whether its SYN was captured.
    pub has_begun: bool,
    /// The client and the server.
    pub sides: [Side; 2],
    /// Requests and answers over it.
    pub turns: Turns,
    /// Octets of IP of all packets.
    pub bytes: u64,
}

impl Connection {
    /// A connection that begins with this segment, as far as it was captured.
    pub fn new(segment: &Segment, servers: &Servers, data: &[u8]) -> Connection {
        let Segment { from, to, header, time, .. } = *segment;
        let Roles { client, server } = match (header.flags.syn, header.ack) {
            (true, None) => servers.of_handshake(from, to).roles,
            (true, Some(_)) => servers.of_handshake(to, from).roles,
            (false, _) => servers.of_data(from, to, data).roles,
        };
        let has_begun = header.flags.syn;
        let (sides, turns) = (Default::default(), Turns::default());
        Connection { client, server, begin: time, end: time, has_begun, sides, turns, bytes: 0 }
    }

    /// Whether a segment begins another connection between the same endpoints.
    pub fn is_succeeded_by(&self, segment: &Segment) -> bool {
        let is_syn = segment.header.flags.syn && segment.header.ack.is_none();
        is_syn && self.sides.iter().any(|side| side.octets > 0)
    }

    /// Takes a segment; returns when the packet that it reacts to was captured, where that is known.
    pub fn segment(&mut self, segment: &Segment) -> Option<Time> {
        let Segment { from, header, octets, l3_bytes, time, .. } = *segment;
        self.end = time;
        self.bytes += u64::from(l3_bytes);
        let [client, server] = &mut self.sides;
        let (own, other) = if from == self.client { (client, server) } else { (server, client) };
        if header.flags.syn {
            own.syn = Some(header.options);
        }
        let timestamps = header.options.timestamps;
        let named = timestamps.map(|stamps| stamps.ts_ecr).or(header.ack);
        let reaction = named.filter(|_| header.ack.is_some()).and_then(|token| other.reaction(token));
        if let Some((sent, there)) = reaction {
            own.trips.push(time.since(sent).seconds(), there, l3_bytes, time);
        }
        if let Some(ack) = header.ack {
            other.acknowledge(ack, time);
            own.window = own.window.max(u64::from(header.window) << scale(own, other, header.flags.syn));
        }
        let control = u32::from(header.flags.syn) + u32::from(header.flags.fin);
        let occupied = octets.saturating_add(control);
        // a window has at most 2^30 octets (RFC 7323, 2.3)
        let occupies = occupied > 0 && occupied <= 1 << 30 && !header.flags.rst;
        if occupies {
            let range = (header.seq, header.seq.wrapping_add(occupied));
            let sent = own.send(range, octets, other.segment_size(), time, other.trips.latest);
            if sent == Sent::New && octets > 0 {
                let by = if from == self.client { By::Client } else { By::Server };
                self.turns.data(Data { by, time, octets, l3_bytes });
            }
            if sent == Sent::Again && timestamps.is_none() {
                own.forget_reactions();
            } else if timestamps.is_none() {
                own.await_reaction(range.1, time, l3_bytes);
            }
        }
        if let Some(stamps) = timestamps {
            own.await_reaction(stamps.ts_val, time, l3_bytes);
        }
        reaction.map(|(sent, _)| sent)
    }

    /// Which flow of requests it belongs to.
    pub fn key(&self) -> FlowKey {
        let [client, server] = [self.client.address, self.server.address];
        FlowKey { client, server, service: Service::Tcp(self.server.port) }
    }

    /// The side that sends most of the data: 0 the client, 1 the server.
    pub fn sender(&self) -> usize {
        usize::from(self.sides[1].octets > self.sides[0].octets)
    }

    /// The hosts that most of the data go from and to.
    pub fn direction(&self) -> (Endpoint, Endpoint) {
        if self.sender() == 0 { (self.client, self.server) } else { (self.server, self.client) }
    }
}

impl Side {
    /// Octets of the largest segment that it takes.
    pub fn segment_size(&self) -> u32 {
        self.syn.and_then(|options| options.mss).map_or(USUAL_SEGMENT, u32::from)
    }
}

/// The shift of the windows that `own` announces, if both sides scale (RFC 7323, 2.2).
fn scale(own: &Side, other: &Side, is_syn: bool) -> u32 {
    let shift = |side: &Side| side.syn.and_then(|options| options.window_scale);
    match (is_syn, shift(own), shift(other)) {
        (false, Some(shift), Some(_)) => u32::from(shift.min(14)),
        _ => 0,
    }
}
