//! What one run observes.

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;

use super::latency_budget::{COMPONENTS, Spent};
use super::stream::Message;

/// What is kept of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    /// Response times, where it is probed.
    pub response: Distribution,
    /// Messages written, delivered and lost since time 0, for conservation.
    pub written: u64,
    pub delivered: u64,
    pub lost: u64,
    /// After the warm-up: messages and bytes delivered, messages lost, packets sent again.
    pub messages: u64,
    pub bytes: u64,
    pub losses: u64,
    pub retries: u64,
}

/// All that a run observes.
#[derive(Clone, Debug)]
pub struct Measure {
    from: Time,
    warm: bool,
    traced: bool,
    /// By flow.
    pub flows: Vec<FlowTally>,
    /// Where the time of the probed messages went.
    pub budget: Budget,
    /// Response times in order, where traces are kept.
    pub trace: Vec<(u64, f64)>,
    /// Exchanges begun, and failed.
    pub begun: u64,
    pub failures: u64,
    /// Synchronising handshakes after the warm-up.
    pub handshakes: u64,
    /// The probed stream: bytes and packets delivered, from its first write to its last delivery.
    pub streamed: Streamed,
}

/// What came of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Streamed {
    /// Bytes.
    pub bytes: u64,
    /// Packets.
    pub packets: u64,
    first: Option<Time>,
    last: Time,
}

impl Streamed {
    /// Seconds from the first write to the last delivery, or to `end` where less was delivered than asked.
    pub fn seconds(&self, end: Time, asked: u64) -> f64 {
        let last = if self.bytes >= asked { self.last } else { end };
        self.first.map_or(0.0, |first| last.since(first).seconds())
    }
}

impl Measure {
    /// Nothing observed yet; what counts begins at `from`.
    pub fn new(flows: usize, from: Time, traced: bool) -> Self {
        Measure {
            from,
            warm: false,
            traced,
            flows: vec![FlowTally::default(); flows],
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            begun: 0,
            failures: 0,
            handshakes: 0,
            streamed: Streamed::default(),
        }
    }

    /// When the warm-up is over.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn begin(&mut self) {
        self.warm = true;
    }

    /// A message has been written.
    #[inline]
    pub fn written(&mut self, flow: u16) {
        self.flows[usize::from(flow)].written += 1;
    }

    /// A message has been delivered.
    #[inline]
    pub fn delivered(&mut self, flow: u16, message: &Message) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.delivered += 1;
        if self.warm {
            tally.messages += 1;
            tally.bytes += u64::from(message.length);
        }
    }

    /// Messages are lost.
    pub fn lost(&mut self, flow: u16, messages: u64) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.lost += messages;
        if self.warm {
            tally.losses += messages;
        }
    }

    /// A packet is sent again.
    pub fn retransmitted(&mut self, flow: u16) {
        self.flows[usize::from(flow)].retries += u64::from(self.warm);
    }

    /// A synchronising handshake begins.
    pub fn handshake(&mut self) {
        self.handshakes += u64::from(self.warm);
    }

    /// A packet of the probed stream is delivered; returns the bytes delivered so far.
    #[inline]
    pub fn stream_delivered(&mut self, now: Time, message: &Message) -> u64 {
        let streamed = &mut self.streamed;
        streamed.first.get_or_insert(message.started);
        streamed.last = now;
        streamed.packets += 1;
        streamed.bytes += u64::from(message.length);
        streamed.bytes
    }

    /// A response time: what the clock reads, and its exact parts.
    pub fn response(&mut self, now: Time, flow: u16, reading: Duration, parts: Spent) {
        let exact: Duration = parts.iter().copied().sum();
        self.flows[usize::from(flow)].response.record_reading(exact, reading);
        self.budget.record(&parts);
        if self.traced {
            self.trace.push((now.picoseconds(), reading.seconds()));
        }
    }

    /// Response times taken.
    pub fn samples(&self) -> u64 {
        self.budget.count()
    }

    /// Conservation: every message offered was delivered, was lost, or is one of `in_flight`.
    pub fn check_conservation(&self, in_flight: u64) {
        let sum = |count: fn(&FlowTally) -> u64| self.flows.iter().map(count).sum::<u64>();
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + in_flight;
        assert_eq!(sum(|flow| flow.written), accounted, "offered = delivered + lost + in flight");
    }
}
