//! A path between two hosts: a link of some rate with a queue each way, propagation, and what is done to segments.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::tcp::machine::{Connection, End, Input, Output, Purpose, Settings};
use sojourn_protocols::tcp::wire::Header;

/// Octets of a header and of what carries it.
const OVERHEAD: u64 = 40;

/// A segment on its way.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub header: Header,
    pub offset: u64,
    pub length: u32,
    pub purpose: Purpose,
}

/// What happens to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Lost,
    Late(Duration),
    Twice,
}

/// What a link is.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bit/s; none is infinitely many.
    pub rate: Option<u64>,
    pub delay: Duration,
    /// Segments that wait at most.
    pub queue: usize,
}

/// One end: the connection, and what its user has seen.
pub struct Host {
    pub connection: Connection,
    /// Octets delivered in order.
    pub delivered: u64,
    pub established: bool,
    pub end_of_stream: bool,
    pub ended: Option<End>,
    /// Every segment sent, with its time.
    pub sent: Vec<(Time, Segment)>,
    /// Octets of the stream that arrived at all.
    arrived: Vec<bool>,
    free_from: Time,
    departures: Vec<Time>,
    link: Link,
}

/// Decides what happens to a segment that host 0 or 1 sends.
type Fates = Box<dyn FnMut(usize, &Segment) -> Fate>;

/// Two hosts and the time.
pub struct Pair {
    pub now: Time,
    pub hosts: [Host; 2],
    pub dropped: usize,
    fate: Fates,
    under_way: BTreeMap<(Time, u64), (usize, Segment)>,
    serial: u64,
}

impl Pair {
    /// Two hosts; `fate` is asked for every segment that host 0 or 1 sends.
    pub fn new(connections: [Connection; 2], link: Link, fate: impl FnMut(usize, &Segment) -> Fate + 'static) -> Self {
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
        Pair { now: Time::ZERO, hosts, dropped: 0, fate: Box::new(fate), under_way: BTreeMap::new(), serial: 0 }
    }

    /// Two hosts that are connected already.
    pub fn connected(settings: [Settings; 2], link: Link, fate: impl FnMut(usize, &Segment) -> Fate + 'static) -> Self {
        let [a, b] = settings.map(Arc::new);
        let connections = [Connection::established(Arc::clone(&a), &b), Connection::established(b, &a)];
        Pair::new(connections, link, fate)
    }

    pub fn input(&mut self, host: usize, input: Input) {
        self.hosts[host].connection.handle(self.now, input);
        self.drain(host);
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Time> {
        let arrival = self.under_way.keys().next().map(|&(time, _)| time);
        let timers = self.hosts.iter().filter_map(|host| host.connection.next_wakeup());
        timers.chain(arrival).min()
    }

    /// Lets the next thing happen, if it does no later than `until`.
    pub fn step(&mut self, until: Time) -> bool {
        let Some(now) = self.next().filter(|&next| next <= until) else { return false };
        self.now = self.now.max(now);
        if let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to, segment) = entry.remove();
            let from = segment.offset as usize;
            let arrived = &mut self.hosts[to].arrived;
            arrived.resize(arrived.len().max(from + segment.length as usize), false);
            arrived[from..from + segment.length as usize].fill(true);
            self.input(to, Input::Receive { header: segment.header, length: segment.length });
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

    /// Lets host 0 send without end until `until`.
    pub fn send_without_end(&mut self, until: Time) {
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
                Output::Transmit { header, offset, length, purpose } => {
                    self.transmit(from, Segment { header, offset, length, purpose });
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

    fn transmit(&mut self, from: usize, segment: Segment) {
        let now = self.now;
        self.hosts[from].sent.push((now, segment));
        let fate = (self.fate)(from, &segment);
        let host = &mut self.hosts[from];
        host.departures.retain(|&departure| departure > now);
        if fate == Fate::Lost || host.departures.len() > host.link.queue {
            self.dropped += 1;
            return;
        }
        let octets = u64::from(segment.length) + OVERHEAD;
        let serialisation = host.link.rate.map_or(Duration::ZERO, |rate| Duration::from_units(8 * octets, rate));
        host.free_from = host.free_from.max(now) + serialisation;
        if host.link.rate.is_some() {
            host.departures.push(host.free_from);
        }
        let arrival = host.free_from + host.link.delay;
        let late = if let Fate::Late(late) = fate { late } else { Duration::ZERO };
        for _ in 0..if fate == Fate::Twice { 2 } else { 1 } {
            self.serial += 1;
            self.under_way.insert((arrival + late, self.serial), (1 - from, segment));
        }
    }
}

/// A link that only delays.
pub fn delay(milliseconds: u64) -> Link {
    Link { rate: None, delay: Duration::from_millis(milliseconds), queue: usize::MAX }
}

/// No segment meets anything.
pub fn undisturbed(_: usize, _: &Segment) -> Fate {
    Fate::Arrives
}

pub fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds).unwrap()
}

/// A host of 1995 whose ticks are at whole multiples of their periods.
pub fn bsd() -> Settings {
    Settings::bsd95(1460, Time::ZERO, Time::ZERO)
}
