//! A TCP connection: its handshake, its two sides, and the requests and answers over it.

use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Header;

use super::exchange::{self, Between, Exchange};
use super::messages::Data;
use super::pool::Pool;
use super::sequence::is_before;
use super::side::{self, Acknowledgement, Side};
use crate::ip::application::Application;
use crate::ip::endpoints::{Endpoint, Roles};
use crate::ip::requests::{RESPONSE_TIMEOUT, Requests};
use crate::ip::roles::{Decision, Evidence, Servers};
use crate::{FlowId, Moment, Outcome, Sent, Service, Sink, Transaction};

/// A captured segment.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Sender.
    pub from: Endpoint,
    /// Receiver.
    pub to: Endpoint,
    /// Its TCP header.
    pub header: Header,
    /// Its data as captured.
    pub data: &'a [u8],
    /// Octets of its data before the capture cut them.
    pub octets: u32,
    /// Octets of the packet of IP.
    pub l3_bytes: u32,
    /// The identification field of IPv4, 0 of IPv6.
    pub identification: u16,
    /// Stamp.
    pub time: Time,
}

/// A connection between a client and a server.
#[derive(Debug)]
pub struct Connection {
    roles: Roles,
    evidence: Evidence,
    application: Option<Application>,
    flow: FlowId,
    handshake: Handshake,
    /// The client and the server.
    sides: [Side; 2],
    /// Of each side the window that it announced last, and since when it is zero.
    windows: [Window; 2],
    exchange: Exchange,
    /// Whether the client, and the server, have sent data.
    have_sent: [bool; 2],
    is_closed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    last: u16,
    zero_since: Option<Time>,
}

/// The three segments that open a connection (RFC 9293, 3.5).
#[derive(Clone, Copy, Debug)]
enum Handshake {
    /// The client has sent SYN.
    Syn { seq: u32, begin: Moment, attempts: u32 },
    /// The server has answered with SYN.
    SynAck {
        begin: Time,
        /// The sequence number that completes the handshake.
        expected: u32,
        is_repeated: bool,
    },
    /// It is complete, or was not captured.
    Done,
    /// The server refused.
    Refused,
}

impl Connection {
    /// A connection that begins with this segment, as far as it was captured.
    pub fn new(captured: &Captured<'_>, servers: &Servers, out: &mut Sink) -> Connection {
        let Captured { from, to, header, data, time, .. } = *captured;
        let (syn, ack) = (header.flags.syn, header.ack);
        let Decision { roles, evidence, application } = match (syn, ack) {
            (true, None) => servers.of_handshake(from, to),
            (true, Some(_)) => servers.of_handshake(to, from),
            (false, _) => servers.of_data(from, to, data),
        };
        let flow = out.flow(roles.flow(Service::Tcp));
        let handshake = match (syn, ack) {
            (true, None) => Handshake::Syn { seq: header.seq, begin: out.moment(time), attempts: 0 },
            _ => Handshake::Done,
        };
        out.count(flow, "connections", 1);
        if !syn && !header.flags.rst {
            out.count(flow, "connections/open-at-begin", 1);
        }
        let exchange = Exchange::new(application, flow);
        let sides = ["acknowledgement_rtt/forward", "acknowledgement_rtt/return"].map(Side::new);
        let (windows, have_sent) = ([Window::default(); 2], [false; 2]);
        Connection {
            roles,
            evidence,
            application,
            flow,
            handshake,
            sides,
            windows,
            exchange,
            have_sent,
            is_closed: false,
        }
    }

    /// Its flow.
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// The client's end.
    pub fn client(&self) -> Endpoint {
        self.roles.client
    }

    /// Whether one of the sides has closed it.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Whether a segment begins another connection between the same endpoints.
    pub fn is_succeeded_by(&self, captured: &Captured<'_>) -> bool {
        let Header { flags, ack, seq, .. } = captured.header;
        if !flags.syn || ack.is_some() {
            return false;
        }
        match self.handshake {
            Handshake::Syn { seq: known, .. } => known != seq,
            Handshake::SynAck { .. } => self.sides[0].next() != Some(seq.wrapping_add(1)),
            Handshake::Done | Handshake::Refused => true,
        }
    }

    /// Takes a segment.
    pub fn segment(
        &mut self,
        captured: &Captured<'_>,
        servers: &Servers,
        pool: &mut Pool,
        requests: &mut Requests,
        out: &mut Sink,
    ) {
        let Captured { from, header, octets, l3_bytes, time, .. } = *captured;
        if octets > 0 && self.have_sent == [false; 2] {
            self.first_data(captured, servers, out);
        }
        let forward = from == self.roles.client;
        let sender = usize::from(!forward);
        let sent = self.sequence(captured, sender, pool, out);
        if let Some(ack) = header.ack {
            self.acknowledge(captured, ack, 1 - sender, pool, out);
        }
        self.shake_hands(captured, forward, sent, out);
        self.announce_window(captured, sender, out);
        match sent {
            Some(side::Sent::New | side::Sent::OutOfOrder | side::Sent::Repeated { is_first_here: true })
                if octets > 0 =>
            {
                self.exchange_data(captured, forward, requests, out);
            }
            _ => {}
        }
        let repeated = matches!(sent, Some(side::Sent::Repeated { .. }));
        if repeated && forward && octets > 0 {
            self.exchange.asked_again(time);
        }
        if sent != Some(side::Sent::Copy) {
            out.sent(Sent { flow: self.flow, time, forward, l3_bytes, l4_bytes: octets, repeated });
        }
        if header.flags.rst || header.flags.fin {
            self.close((forward, header.flags.rst), time, requests, out);
        }
    }

    /// The capture ends, or a connection that was silent longest makes room.
    pub fn finish(&mut self, end: Time, pool: &mut Pool, requests: &mut Requests, out: &mut Sink) {
        if let Handshake::Syn { begin, attempts, .. } = self.handshake {
            let outcome = if end.since(begin.time) < RESPONSE_TIMEOUT { Outcome::Open } else { Outcome::Unanswered };
            self.failed_setup(begin, None, attempts, outcome, out);
        } else if !self.is_closed {
            out.count(self.flow, "connections/open-at-end", 1);
        }
        let between = self.between();
        self.exchange.finish(end, self.is_closed, between, requests, out);
        if self.have_sent == [true; 2] {
            out.served_by(self.flow, self.evidence);
        }
        for side in &mut self.sides {
            side.finish(self.flow, pool, out);
        }
    }

    /// What a segment's sequence numbers show; `None` of one without data, SYN and FIN.
    fn sequence(
        &mut self,
        captured: &Captured<'_>,
        sender: usize,
        pool: &mut Pool,
        out: &mut Sink,
    ) -> Option<side::Sent> {
        let Captured { header, octets, time, identification, .. } = *captured;
        let control = u32::from(header.flags.syn) + u32::from(header.flags.fin);
        let occupied = octets.saturating_add(control);
        // a window has at most 2^30 octets (RFC 7323, 2.3)
        if occupied == 0 || occupied > 1 << 30 || header.flags.rst {
            return None;
        }
        let segment = side::Segment {
            time,
            range: (header.seq, header.seq.wrapping_add(occupied)),
            is_control: control > 0,
            is_window_closed: self.windows[1 - sender].zero_since.is_some(),
            ts_val: header.options.timestamps.map(|timestamps| timestamps.ts_val),
            identification,
            min_rtt: self.sides[1 - sender].min_rtt(),
        };
        Some(self.sides[sender].send(&segment, self.flow, pool, out))
    }

    fn acknowledge(&mut self, captured: &Captured<'_>, ack: u32, acknowledged: usize, pool: &mut Pool, out: &mut Sink) {
        let Captured { header, octets, time, .. } = *captured;
        let flags = header.flags;
        if flags.rst {
            return;
        }
        let is_bare = octets == 0 && !flags.syn && !flags.fin;
        let window = self.windows[1 - acknowledged].last;
        let acknowledgement = Acknowledgement {
            time,
            ack,
            may_be_duplicate: is_bare && (window == header.window || !header.options.sack.as_slice().is_empty()),
            ts_ecr: header.options.timestamps.map(|timestamps| timestamps.ts_ecr),
            sack: header.options.sack,
        };
        self.sides[acknowledged].acknowledge(&acknowledgement, self.flow, pool, out);
    }

    fn shake_hands(&mut self, captured: &Captured<'_>, forward: bool, sent: Option<side::Sent>, out: &mut Sink) {
        let Captured { header, time, .. } = *captured;
        let flags = header.flags;
        match self.handshake {
            Handshake::Syn { seq, begin, attempts } if forward && flags.syn && sent != Some(side::Sent::Copy) => {
                self.handshake = Handshake::Syn { seq, begin, attempts: attempts.saturating_add(1) };
            }
            Handshake::Syn { begin, attempts, .. } if !forward && flags.rst => {
                self.failed_setup(begin, Some(time), attempts, Outcome::Refused, out);
                self.handshake = Handshake::Refused;
            }
            Handshake::Syn { begin, attempts, .. } if !forward && flags.syn => {
                let expected = header.seq.wrapping_add(1);
                self.handshake = Handshake::SynAck { begin: begin.time, expected, is_repeated: attempts > 1 };
            }
            Handshake::SynAck { begin, expected, .. } if flags.syn => {
                let is_repeated = sent != Some(side::Sent::Copy);
                self.handshake = Handshake::SynAck { begin, expected, is_repeated };
            }
            Handshake::SynAck { begin, expected, is_repeated }
                if forward && !flags.rst && header.ack.is_some_and(|ack| !is_before(ack, expected)) =>
            {
                self.complete(begin, is_repeated, time, out);
            }
            _ => {}
        }
    }

    fn complete(&mut self, begin: Time, is_repeated: bool, now: Time, out: &mut Sink) {
        self.handshake = Handshake::Done;
        let duration = now.since(begin);
        out.sample(self.flow, "connect_time", now, duration);
        if !is_repeated {
            out.sample(self.flow, "handshake_rtt", now, duration);
        }
    }

    /// A connection that did not come about is a request without an answer.
    fn failed_setup(&mut self, begin: Moment, end: Option<Time>, attempts: u32, outcome: Outcome, out: &mut Sink) {
        self.is_closed = true;
        let end = end.map(|end| out.moment(end));
        out.transaction(Transaction { attempts: attempts.max(1), ..Transaction::of(self.flow, begin, end, outcome) });
    }

    fn announce_window(&mut self, captured: &Captured<'_>, sender: usize, out: &mut Sink) {
        let Captured { header, time, .. } = *captured;
        if header.flags.rst || header.ack.is_none() {
            return;
        }
        let window = &mut self.windows[sender];
        window.last = header.window;
        if header.window > 0 {
            if let Some(since) = window.zero_since.take() {
                out.sample(self.flow, "zero_window_time", time, time.since(since));
            }
        } else if !header.flags.syn && !header.flags.fin {
            out.count(self.flow, "zero_windows", 1);
            window.zero_since.get_or_insert(time);
        }
    }

    /// The first data show what application it is, where the port does not, and who serves, where this was guessed.
    fn first_data(&mut self, captured: &Captured<'_>, servers: &Servers, out: &mut Sink) {
        let decision = servers.of_data(captured.from, captured.to, captured.data);
        if self.evidence.is_guess() {
            self.evidence = decision.evidence;
            if decision.roles != self.roles {
                self.roles = decision.roles;
                self.flow = out.flow(self.roles.flow(Service::Tcp));
                self.windows.swap(0, 1);
                let [client, server] = &mut self.sides;
                client.exchange(server);
            }
        }
        self.application = self.application.or(decision.application);
        self.exchange = Exchange::new(self.application, self.flow);
    }

    /// Data that the point of capture sees for the first time.
    fn exchange_data(&mut self, captured: &Captured<'_>, forward: bool, requests: &mut Requests, out: &mut Sink) {
        let Captured { header, octets, time, data, .. } = *captured;
        self.have_sent[usize::from(!forward)] = true;
        let seq = header.seq.wrapping_add(u32::from(header.flags.syn));
        let data = Data { seq, octets: data, length: octets, at: out.moment(time) };
        let sent = exchange::Sent { data, forward, ack: header.ack, between: self.between() };
        self.exchange.data(&sent, requests, out);
    }

    fn close(&mut self, by: (bool, bool), now: Time, requests: &mut Requests, out: &mut Sink) {
        self.is_closed = true;
        let between = self.between();
        self.exchange.close(by, now, between, requests, out);
    }

    fn between(&self) -> Between {
        Between { roles: self.roles, flow: self.flow }
    }
}
