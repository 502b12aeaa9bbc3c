//! What one run observes.

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;

use super::latency_budget::{COMPONENTS, Components};
use super::stream::Message;
use crate::common::flow_tally::{Count, FlowTally};

/// What is observed of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowMetrics {
    /// Response times, where it is probed.
    pub response: Distribution,
    /// Messages and their user data.
    pub tally: FlowTally,
    /// Packets retransmitted.
    pub retries: Count,
}

/// All that a run observes.
#[derive(Clone, Debug)]
pub struct Metrics {
    from: Time,
    traced: bool,
    /// By flow.
    pub flows: Vec<FlowMetrics>,
    /// The latency budget of the probed messages.
    pub budget: Budget,
    /// Response times in order, where traces are kept.
    pub trace: Vec<(u64, f64)>,
    /// Exchanges begun.
    pub begun: u64,
    /// Exchanges without a response.
    pub failures: u64,
    /// Synchronizing handshakes.
    pub handshakes: Count,
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

impl Metrics {
    /// Nothing observed yet; the observation begins at `from`.
    pub fn new(flows: usize, from: Time, traced: bool) -> Self {
        Metrics {
            from,
            traced,
            flows: vec![FlowMetrics::default(); flows],
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            begun: 0,
            failures: 0,
            handshakes: Count::default(),
            streamed: Streamed::default(),
        }
    }

    /// When the warm-up ends.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.handshakes.end_warm_up();
        for flow in &mut self.flows {
            flow.tally.end_warm_up();
            flow.retries.end_warm_up();
        }
    }

    /// A message is written.
    #[inline]
    pub fn offered(&mut self, flow: u16) {
        self.flows[usize::from(flow)].tally.offer();
    }

    /// A message is delivered.
    #[inline]
    pub fn delivered(&mut self, flow: u16, message: &Message) {
        self.flows[usize::from(flow)].tally.deliver(u64::from(message.length));
    }

    /// Messages are lost.
    pub fn lost(&mut self, flow: u16, messages: u64) {
        self.flows[usize::from(flow)].tally.lose(messages);
    }

    /// A packet is retransmitted.
    pub fn retransmitted(&mut self, flow: u16) {
        self.flows[usize::from(flow)].retries.add(1);
    }

    /// A synchronizing handshake begins.
    pub fn handshake(&mut self) {
        self.handshakes.add(1);
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
    pub fn response(&mut self, now: Time, flow: u16, reading: Duration, parts: Components) {
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

    /// Every message offered is delivered, lost, or one of the `in_flight`.
    pub fn check_conservation(&self, in_flight: u64) {
        let found: u64 = self.flows.iter().map(|flow| flow.tally.in_flight()).sum();
        assert_eq!(found, in_flight, "offered = delivered + lost + in flight");
    }
}
