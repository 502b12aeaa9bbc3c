//! A TCP connection: its handshake, its two sides, and the requests and answers over it.

use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Header;

use super::messages::Messages;
use super::pool::Pool;
use super::sequence::is_before;
use super::side::{self, Acknowledgement, Side};
use crate::ip::application::{Application, Message};
use crate::ip::endpoints::{Endpoint, Roles};
use crate::ip::requests::{RESPONSE_TIMEOUT, RequestKey, Requests};
use crate::ip::turns::Turns;
use crate::{FlowId, Outcome, Sent, Service, Sink, Transaction};

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
    flow: FlowId,
    handshake: Handshake,
    /// The client and the server.
    sides: [Side; 2],
    /// Of each side the window that it announced last, and since when it is zero.
    windows: [Window; 2],
    exchange: Exchange,
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
    Syn { seq: u32, begin: Time, attempts: u32 },
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

/// How requests and answers are distinguished.
#[derive(Debug)]
enum Exchange {
    Turns(Turns),
    /// By identifiers, in the streams of the client and the server.
    Named(Application, [Messages; 2]),
}

impl Connection {
    /// A connection that begins with this segment, as far as it was captured.
    pub fn new(captured: &Captured<'_>, out: &mut Sink) -> Connection {
        let Captured { from, to, header, time, .. } = *captured;
        let (syn, ack) = (header.flags.syn, header.ack);
        let roles = match (syn, ack) {
            (true, None) => Roles { client: from, server: to },
            (true, Some(_)) => Roles { client: to, server: from },
            (false, _) => Roles::by_ports(from, to, Application::of_tcp_port),
        };
        let flow = out.flow(roles.flow(Service::Tcp));
        let handshake = match (syn, ack) {
            (true, None) => Handshake::Syn { seq: header.seq, begin: time, attempts: 0 },
            _ => Handshake::Done,
        };
        out.count(flow, "connections", 1);
        if !syn && !header.flags.rst {
            out.count(flow, "connections/open-at-begin", 1);
        }
        let exchange = match Application::of_tcp_port(roles.server.port) {
            Some(application) => Exchange::Named(application, [Messages::default(); 2]),
            None => Exchange::Turns(Turns::new(flow)),
        };
        let sides = ["acknowledgement_rtt/forward", "acknowledgement_rtt/return"].map(Side::new);
        let windows = [Window::default(); 2];
        Connection { roles, flow, handshake, sides, windows, exchange, is_closed: false }
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
    pub fn segment(&mut self, captured: &Captured<'_>, pool: &mut Pool, requests: &mut Requests, out: &mut Sink) {
        let Captured { from, header, octets, l3_bytes, time, .. } = *captured;
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
        if repeated
            && forward
            && octets > 0
            && let Exchange::Turns(turns) = &mut self.exchange
        {
            turns.asked_again(time);
        }
        if sent != Some(side::Sent::Copy) {
            out.sent(Sent { flow: self.flow, time, forward, l3_bytes, l4_bytes: octets, repeated });
        }
        if header.flags.rst || header.flags.fin {
            self.close(forward, header.flags.rst, time, out);
        }
    }

    /// The capture ends, or a connection that was silent longest makes room.
    pub fn finish(&mut self, end: Time, pool: &mut Pool, out: &mut Sink) {
        if let Handshake::Syn { begin, attempts, .. } = self.handshake {
            let outcome = if end.since(begin) < RESPONSE_TIMEOUT { Outcome::Open } else { Outcome::Unanswered };
            self.failed_setup(begin, None, attempts, outcome, out);
        } else if !self.is_closed {
            out.count(self.flow, "connections/open-at-end", 1);
        }
        if let Exchange::Turns(turns) = &mut self.exchange {
            let is_recent = turns.waiting_since().is_some_and(|(last, _)| end.since(last) < RESPONSE_TIMEOUT);
            let outcome = if is_recent && !self.is_closed { Outcome::Open } else { Outcome::Unanswered };
            turns.close(outcome, None, out);
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
                self.handshake = Handshake::SynAck { begin, expected, is_repeated: attempts > 1 };
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
    fn failed_setup(&mut self, begin: Time, end: Option<Time>, attempts: u32, outcome: Outcome, out: &mut Sink) {
        self.is_closed = true;
        let (flow, attempts) = (self.flow, attempts.max(1));
        out.transaction(Transaction { flow, begin, end, attempts, outcome, request_bytes: 0, answer_bytes: 0 });
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

    /// Data that the point of capture sees for the first time.
    fn exchange_data(&mut self, captured: &Captured<'_>, forward: bool, requests: &mut Requests, out: &mut Sink) {
        let Captured { header, octets, time, data, .. } = *captured;
        match &mut self.exchange {
            Exchange::Turns(turns) if forward => turns.asked(time, octets, out),
            Exchange::Turns(turns) => turns.answered(time, octets),
            Exchange::Named(application, streams) => {
                let (roles, flow, application) = (self.roles, self.flow, *application);
                let seq = header.seq.wrapping_add(u32::from(header.flags.syn));
                let key = |name| RequestKey { roles, application: Some(application), name };
                let stream = &mut streams[usize::from(!forward)];
                stream.read(application, forward, (seq, data), |message, octets| match message {
                    Message::Request(name) => {
                        requests.request(key(name), flow, time, octets, out);
                    }
                    Message::Answer(name) => {
                        requests.answer(key(name), flow, time, octets, Outcome::Answered, out);
                    }
                    Message::Refusal(name) => requests.answer(key(name), flow, time, octets, Outcome::Refused, out),
                    Message::Other => {}
                });
            }
        }
    }

    /// A side closes: the server's end answers no request that is still open.
    fn close(&mut self, forward: bool, is_reset: bool, now: Time, out: &mut Sink) {
        self.is_closed = true;
        if forward && !is_reset {
            return;
        }
        if let Exchange::Turns(turns) = &mut self.exchange {
            let refused = is_reset && !forward;
            let (outcome, end) = if refused { (Outcome::Refused, Some(now)) } else { (Outcome::Unanswered, None) };
            turns.close(outcome, end, out);
        }
    }
}
