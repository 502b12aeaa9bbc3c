use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::{Address, Body, Options, Packet};

pub type Bytes = Vec<u8>;
pub type Host = usize;

/// How long every packet takes.
pub const FLIGHT: Duration = Duration::from_millis(1);
/// What is sent here reaches all other hosts.
pub const GROUP: Host = 1000;
/// The port that hosts listen at.
pub const PORT: u16 = 7;

/// A packet that was sent, lost ones too.
#[derive(Clone, Debug)]
pub struct Sent {
    pub at: Time,
    pub from: Host,
    pub to: Host,
    pub packet: Packet<Bytes>,
    pub purpose: Purpose,
}

/// What users of a host saw of one context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Delivered bytes.
    pub bytes: Bytes,
    /// Sequence number behind the last delivered byte.
    pub next: u64,
    /// Where messages ended.
    pub messages: Vec<usize>,
    pub end_of_stream: bool,
    pub closed: Option<Reason>,
}

/// Hosts A, B, C ... on a network that takes a millisecond for a packet and loses those that a test selects.
pub struct Network {
    pub now: Time,
    pub hosts: Vec<Endpoint<Bytes, Host>>,
    /// What happened, as "A FIRST" or "B delivers 3".
    pub log: Vec<String>,
    pub sent: Vec<Sent>,
    /// The packets to lose, by their place in `sent`.
    pub lose: Vec<usize>,
    /// Nothing that carries data arrives, as where packets are longer than the MTU of the path.
    pub deaf_to_data: bool,
    /// Share of all packets that is lost, in 1/1000, and the state of the generator that chooses them.
    pub loss: (u64, u64),
    /// Whose packets are lost at random; without it everybody's.
    pub loss_of: Option<Host>,
    /// A share of packets, in 1/1000, takes up to ten flights longer.
    pub disorder: u64,
    /// Contexts as they were opened and accepted, by host.
    pub contexts: Vec<Vec<ContextId>>,
    pub seen: BTreeMap<(Host, ContextId), Seen>,
    pub events: Vec<(Host, Event)>,
    /// Users close their end when the peer's stream ends.
    pub closes: bool,
    /// Packets whose request for status is not honoured, by their place in `sent`.
    pub mute: Vec<usize>,
    air: BTreeMap<(Time, usize, Host), usize>,
}

pub fn configuration() -> Configuration {
    Configuration { max_data: 10, ..Configuration::default() }
}

impl Network {
    /// `count` hosts that listen, all alike.
    pub fn of(count: usize, configuration: Configuration) -> Self {
        let mut network = Network {
            now: Time::ZERO,
            hosts: (0..count).map(|_| Endpoint::new(Limits::default())).collect(),
            log: Vec::new(),
            sent: Vec::new(),
            lose: Vec::new(),
            deaf_to_data: false,
            loss: (0, 1),
            loss_of: None,
            disorder: 0,
            contexts: vec![Vec::new(); count],
            seen: BTreeMap::new(),
            events: Vec::new(),
            closes: true,
            mute: Vec::new(),
            air: BTreeMap::new(),
        };
        let configuration = Arc::new(configuration);
        for host in 0..count {
            let filter = AddressFilter::Port(PORT);
            network.give(host, Input::Listen { listener: 1, filter, configuration: Arc::clone(&configuration) });
        }
        network
    }

    pub fn give(&mut self, host: Host, input: Input<Bytes, Host>) {
        self.hosts[host].handle(self.now, input);
        self.drain(host);
    }

    /// A opens an association to `to` and sends `data` with FIRST.
    pub fn open(&mut self, to: Host, configuration: Configuration, data: &[u8]) -> ContextId {
        self.open_from(0, to, configuration, data)
    }

    pub fn open_from(&mut self, from: Host, to: Host, configuration: Configuration, data: &[u8]) -> ContextId {
        let cast = if to == GROUP { Cast::Multicast { receivers: self.hosts.len() as u32 - 1 } } else { Cast::Unicast };
        let address = Address::ipv4(([10, 0, 0, from as u8], 9), ([10, 0, 0, to as u8], PORT));
        let data = (!data.is_empty()).then(|| (data.to_vec(), false));
        let configuration = Arc::new(configuration);
        self.give(from, Input::Open { reference: 5, to, address, cast, configuration, data });
        *self.contexts[from].last().expect("an association was opened")
    }

    pub fn write(&mut self, host: Host, context: ContextId, data: &[u8], end_of_message: bool) {
        self.give(host, Input::Write { context, data: data.to_vec(), end_of_message });
    }

    pub fn close(&mut self, host: Host, context: ContextId) {
        self.give(host, Input::Close { context });
    }

    /// Lets time hop from event to event up to `end`.
    pub fn settle_until(&mut self, end: Time) {
        while self.step(end) {}
        self.now = end;
    }

    /// Lets so much time pass.
    pub fn pass(&mut self, span: Duration) {
        self.settle_until(self.now + span);
    }

    fn step(&mut self, end: Time) -> bool {
        let arrival = self.air.first_key_value().map_or(Time::NEVER, |((at, ..), _)| *at);
        let wakeup = self.hosts.iter().filter_map(Endpoint::next_wakeup).min().unwrap_or(Time::NEVER);
        if arrival.min(wakeup) > end || arrival.min(wakeup) == Time::NEVER {
            return false;
        }
        self.now = arrival.min(wakeup);
        if arrival <= wakeup {
            self.arrive();
            return true;
        }
        for host in 0..self.hosts.len() {
            self.hosts[host].wake(self.now);
            self.drain(host);
        }
        true
    }

    fn arrive(&mut self) {
        let Some(((_, _, to), place)) = self.air.pop_first() else { return };
        let Sent { from, packet, .. } = self.sent[place].clone();
        self.give(to, Input::Receive { from, packet, answer: !self.mute.contains(&place) });
    }

    fn drain(&mut self, host: Host) {
        while let Some(output) = self.hosts[host].poll_output() {
            match output {
                Output::Transmit { to, packet, purpose } => self.transmit(host, to, packet, purpose),
                Output::Opened { context, .. } => self.contexts[host].push(context),
                Output::Accepted { context, .. } => {
                    self.note(host, "accepts");
                    self.contexts[host].push(context);
                }
                Output::Established { .. } => self.note(host, "is heard"),
                Output::Deliver { context, seq, data, end_of_message } => {
                    self.note(host, &format!("delivers {}", data.len()));
                    let seen = self.seen.entry((host, context)).or_default();
                    assert!(seq >= seen.next, "data is delivered in order and once");
                    seen.next = seq + data.len() as u64;
                    seen.bytes.extend(data);
                    if end_of_message {
                        seen.messages.push(seen.bytes.len());
                    }
                }
                Output::EndOfStream { context } => {
                    self.note(host, "end of stream");
                    self.seen.entry((host, context)).or_default().end_of_stream = true;
                    if self.closes {
                        self.close(host, context);
                    }
                }
                Output::Writable { .. } => self.note(host, "writable"),
                Output::Refused { refusal, .. } => self.note(host, &format!("refused: {refusal}")),
                Output::Closed { context, reason } => {
                    self.note(host, &reason.to_string());
                    self.seen.entry((host, context)).or_default().closed = Some(reason);
                }
                Output::Report { event, .. } => self.events.push((host, event)),
            }
        }
    }

    fn transmit(&mut self, from: Host, to: Host, packet: Packet<Bytes>, purpose: Purpose) {
        let bytes = packet.to_bytes().expect("an endpoint sends only what has bytes");
        assert_eq!(Packet::parse(&bytes).map(|read| read.map(<[u8]>::to_vec)), Ok(packet.clone()));
        let place = self.sent.len();
        let deaf = self.deaf_to_data && packet.body.data().is_some();
        let lost = deaf
            || self.lose.contains(&place)
            || (self.draw() % 1000 < self.loss.0 && self.loss_of.is_none_or(|host| host == from));
        self.note(from, &format!("{}{}", words(&packet, purpose), if lost { ", lost" } else { "" }));
        self.sent.push(Sent { at: self.now, from, to, packet, purpose });
        let hosts: Vec<_> =
            if to == GROUP { (0..self.hosts.len()).filter(|host| *host != from).collect() } else { vec![to] };
        for host in hosts.into_iter().filter(|_| !lost) {
            let late = if self.draw() % 1000 < self.disorder { self.draw() % 10_000 } else { 0 };
            self.air.insert((self.now + FLIGHT + Duration::from_micros(late), place, host), place);
        }
    }

    /// A number of a linear congruential generator (Knuth's MMIX).
    fn draw(&mut self) -> u64 {
        self.loss.1 = self.loss.1.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.loss.1 >> 33
    }

    fn note(&mut self, host: Host, what: &str) {
        self.log.push(format!("{} {what}", name(host)));
    }

    /// What the users of `host` saw of its `nth` context.
    pub fn seen(&self, host: Host, nth: usize) -> Seen {
        self.contexts[host].get(nth).and_then(|id| self.seen.get(&(host, *id))).cloned().unwrap_or_default()
    }

    /// The packets `host` sent for a purpose.
    pub fn sent_for(&self, host: Host, purpose: Purpose) -> Vec<&Sent> {
        self.sent.iter().filter(|sent| sent.from == host && sent.purpose == purpose).collect()
    }

    /// How often a host reported an event.
    pub fn count(&self, host: Host, event: Event) -> usize {
        self.events.iter().filter(|entry| **entry == (host, event)).count()
    }

    /// The lines of the log about one host, less its name.
    pub fn story(&self, host: Host) -> Vec<&str> {
        let prefix = format!("{} ", name(host));
        self.log.iter().filter_map(|line| line.strip_prefix(&prefix)).collect()
    }
}

fn name(host: Host) -> char {
    char::from(b'A' + host as u8)
}

fn words(packet: &Packet<Bytes>, purpose: Purpose) -> String {
    let header = &packet.header;
    let mut words = packet.body.name().to_string();
    if let Some(data) = packet.body.data() {
        words += &format!(" {}+{}", header.seq, data.length());
    }
    if let Some(control) = packet.body.control() {
        words += &format!(" {}", control.rseq);
    }
    if let Body::ErrorControl(_, spans) = &packet.body {
        spans.iter().for_each(|span| words += &format!(" [{},{})", span.left, span.right));
    }
    for (name, option) in
        [("SREQ", Options::SREQ), ("WCLOSE", Options::WCLOSE), ("RCLOSE", Options::RCLOSE), ("END", Options::END)]
    {
        if header.options.contains(option) && (purpose != Purpose::Data || option != Options::SREQ) {
            words += &format!(" {name}");
        }
    }
    words
}

/// This many bytes of a stream in which no short stretch comes again soon.
pub fn stream(length: usize) -> Bytes {
    (0..length as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect()
}

/// Milliseconds from the start.
pub fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
