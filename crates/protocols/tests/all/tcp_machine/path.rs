//! A path between two hosts: in each direction a link with rate, queue and propagation delay, and impairments.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ip::Ecn;
use sojourn_protocols::tcp::machine::{Connection, End, Input, Output, Purpose, Settings};
use sojourn_protocols::tcp::wire::Header;

/// Octets of the TCP and IP headers.
const OVERHEAD: u64 = 40;

/// A transmitted segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub header: Header,
    pub offset: u64,
    pub length: u32,
    pub purpose: Purpose,
    /// What its IP header says of congestion, as sent.
    pub ecn: Ecn,
}

/// What the path does to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impairment {
    None,
    Lost,
    Delayed(Duration),
    Duplicated,
    /// It has met congestion.
    Marked,
}

/// A link, the same in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bit/s; `None` is an infinite rate.
    pub rate: Option<u64>,
    pub delay: Duration,
    /// Queue limit, segments.
    pub queue: usize,
}

/// A host: the connection, and what its user has received.
pub struct Host {
    pub connection: Connection,
    /// Octets delivered in order.
    pub delivered: u64,
    pub established: bool,
    pub end_of_stream: bool,
    pub ended: Option<End>,
    /// Every segment sent, with its time.
    pub sent: Vec<(Time, Segment)>,
    /// Octets of the stream that arrived, in any order.
    arrived: Vec<bool>,
    free_from: Time,
    departures: Vec<Time>,
    link: Link,
}

/// Chooses the impairment of a segment that host 0 or 1 sends.
type Impair = Box<dyn FnMut(usize, &Segment) -> Impairment>;

/// Two hosts, the path between them and the virtual time.
pub struct Pair {
    pub now: Time,
    pub hosts: [Host; 2],
    pub dropped: usize,
    /// Segments queued before one that is marked, if its sender understands that.
    pub marks_above: usize,
    pub marked: usize,
    impair: Impair,
    in_flight: BTreeMap<(Time, u64), (usize, Segment)>,
    serial: u64,
}

impl Pair {
    /// Two hosts; `impair` is called for every segment that host 0 or 1 sends.
    pub fn new(
        connections: [Connection; 2],
        link: Link,
        impair: impl FnMut(usize, &Segment) -> Impairment + 'static,
    ) -> Self {
        let hosts = connections.map(|connection| Host {
            connection,
            delivered: 0,
            established: false,
            end_of_stream: false,
            ended: None,
            sent: Vec::new(),
            arrived: Vec::new(),
            free_from: Time::ZERO,
            departures: Vec::new(),
            link,
        });
        Pair {
            now: Time::ZERO,
            hosts,
            dropped: 0,
            marks_above: usize::MAX,
            marked: 0,
            impair: Box::new(impair),
            in_flight: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Two hosts with an established connection.
    pub fn connected(
        settings: [Settings; 2],
        link: Link,
        impair: impl FnMut(usize, &Segment) -> Impairment + 'static,
    ) -> Self {
        let [a, b] = settings.map(Arc::new);
        let connections = [Connection::established(Arc::clone(&a), &b), Connection::established(b, &a)];
        Pair::new(connections, link, impair)
    }

    pub fn input(&mut self, host: usize, input: Input) {
        self.hosts[host].connection.handle(self.now, input);
        self.drain(host);
    }

    /// Time of the next event.
    pub fn next(&self) -> Option<Time> {
        let arrival = self.in_flight.keys().next().map(|&(time, _)| time);
        let timers = self.hosts.iter().filter_map(|host| host.connection.next_wakeup());
        timers.chain(arrival).min()
    }

    /// Processes the next event, unless it is after `until`.
    pub fn step(&mut self, until: Time) -> bool {
        let Some(now) = self.next().filter(|&next| next <= until) else { return false };
        self.now = self.now.max(now);
        if let Some(entry) = self.in_flight.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to, segment) = entry.remove();
            let from = segment.offset as usize;
            let arrived = &mut self.hosts[to].arrived;
            arrived.resize(arrived.len().max(from + segment.length as usize), false);
            arrived[from..from + segment.length as usize].fill(true);
            self.input(to, Input::Receive { header: segment.header, length: segment.length, ecn: segment.ecn });
            return true;
        }
        for host in 0..2 {
            if self.hosts[host].connection.next_wakeup().is_some_and(|due| due <= now) {
                self.hosts[host].connection.wake(now);
                self.drain(host);
            }
        }
        true
    }

    pub fn run(&mut self, until: Time) {
        while self.step(until) {}
        self.now = until;
    }

    /// Keeps host 0's send buffer full until `until`.
    pub fn saturate(&mut self, until: Time) {
        loop {
            let octets = self.hosts[0].connection.send_space();
            if octets > 0 {
                self.input(0, Input::Write { octets });
            }
            if !self.step(until) {
                return;
            }
        }
    }

    fn drain(&mut self, from: usize) {
        while let Some(output) = self.hosts[from].connection.poll_output() {
            let host = &mut self.hosts[from];
            match output {
                Output::Transmit { header, offset, length, purpose, ecn } => {
                    self.transmit(from, Segment { header, offset, length, purpose, ecn });
                }
                Output::Deliver { octets } => {
                    let (first, end) = (host.delivered as usize, (host.delivered + octets) as usize);
                    assert!(host.arrived[first..end].iter().all(|&here| here), "only what arrived is delivered");
                    host.delivered += octets;
                }
                Output::Established => host.established = true,
                Output::EndOfStream => host.end_of_stream = true,
                Output::Closed { end } => host.ended = Some(end),
                Output::Writable => {}
            }
        }
    }

    fn transmit(&mut self, from: usize, mut segment: Segment) {
        let now = self.now;
        self.hosts[from].sent.push((now, segment));
        let impairment = (self.impair)(from, &segment);
        let host = &mut self.hosts[from];
        host.departures.retain(|&departure| departure > now);
        if impairment == Impairment::Lost || host.departures.len() > host.link.queue {
            self.dropped += 1;
            return;
        }
        let is_marked = impairment == Impairment::Marked || host.departures.len() > self.marks_above;
        if is_marked && segment.ecn.is_capable() {
            segment.ecn = Ecn::Ce;
            self.marked += 1;
        }
        let octets = u64::from(segment.length) + OVERHEAD;
        let serialisation = host.link.rate.map_or(Duration::ZERO, |rate| Duration::from_units(8 * octets, rate));
        host.free_from = host.free_from.max(now) + serialisation;
        if host.link.rate.is_some() {
            host.departures.push(host.free_from);
        }
        let arrival = host.free_from + host.link.delay;
        let extra = if let Impairment::Delayed(extra) = impairment { extra } else { Duration::ZERO };
        for _ in 0..if impairment == Impairment::Duplicated { 2 } else { 1 } {
            self.serial += 1;
            self.in_flight.insert((arrival + extra, self.serial), (1 - from, segment));
        }
    }
}

/// A link of infinite rate with a propagation delay.
pub fn delay(milliseconds: u64) -> Link {
    Link { rate: None, delay: Duration::from_millis(milliseconds), queue: usize::MAX }
}

/// No impairment.
pub fn unimpaired(_: usize, _: &Segment) -> Impairment {
    Impairment::None
}

pub fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds).unwrap()
}

/// A host of 1995 whose ticks are at multiples of their periods.
pub fn bsd() -> Settings {
    Settings::bsd95(1460, Time::ZERO, Time::ZERO)
}
