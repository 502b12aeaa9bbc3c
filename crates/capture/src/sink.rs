//! Where trackers report to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};

use sojourn_core::{Duration, Time};

use crate::{FlowId, FlowKey, Flows, Transaction};

/// Distinct reasons kept apart; any further one counts as "other reasons".
const REASON_LIMIT: usize = 256;

/// What trackers report: transactions, packets of flows, busy media, faults and notes.
#[derive(Debug, Default)]
pub struct Sink {
    flows: Flows,
    /// Everything reported, where a reader of single events asked for it.
    log: Option<Vec<Event>>,
    malformed: BTreeMap<String, Malformed>,
    notes: BTreeSet<&'static str>,
    text: String,
}

/// One thing reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A transaction ended.
    Transaction(Transaction),
    /// A packet of a flow.
    Sent(Sent),
    /// A medium was busy.
    Busy {
        /// The interface.
        interface: u32,
        /// End of the transmission.
        end: Time,
        /// Bits on the medium.
        bits: u64,
    },
    /// Something counted, by the name of its metric.
    Count(FlowId, &'static str, u64),
    /// A duration, by the name of its metric.
    Sample(FlowId, &'static str, Time, Duration),
}

/// A packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The flow that it belongs to, in either direction.
    pub flow: FlowId,
    /// Its stamp.
    pub time: Time,
    /// Whether the flow's initiator sent it, not its responder.
    pub forward: bool,
    /// Its length in bytes from layer 3 on.
    pub l3_bytes: u32,
    /// Its user data in bytes.
    pub l4_bytes: u32,
    /// Whether it is a copy of one that was sent before.
    pub repeated: bool,
}

/// Packets that do not parse for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Packets.
    pub count: u64,
    /// Number of the first.
    pub first: u64,
}

impl Sink {
    /// A sink that also keeps every event one by one, for captures that fit into memory.
    pub fn with_log() -> Self {
        Sink { log: Some(Vec::new()), ..Sink::default() }
    }

    /// Everything reported, in order; empty unless made by [`Sink::with_log`].
    pub fn log(&self) -> &[Event] {
        self.log.as_deref().unwrap_or(&[])
    }

    /// All flows.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// The number of a flow.
    pub fn flow(&mut self, key: FlowKey) -> FlowId {
        self.flows.intern(key)
    }

    /// A transaction ended.
    pub fn transaction(&mut self, transaction: Transaction) {
        self.event(Event::Transaction(transaction));
    }

    /// A packet of a flow was sent.
    pub fn sent(&mut self, packet: Sent) {
        self.event(Event::Sent(packet));
    }

    /// The medium of `interface` carried `bits` until `end`, preambles and gaps included.
    pub fn busy(&mut self, interface: u32, end: Time, bits: u64) {
        self.event(Event::Busy { interface, end, bits });
    }

    /// Adds to a count of a flow, by the name of its metric.
    pub fn count(&mut self, flow: FlowId, metric: &'static str, more: u64) {
        self.event(Event::Count(flow, metric, more));
    }

    /// A duration of a flow that ended at `time`, by the name of its metric.
    pub fn sample(&mut self, flow: FlowId, metric: &'static str, time: Time, duration: Duration) {
        self.event(Event::Sample(flow, metric, time, duration));
    }

    /// Packet `number` does not parse in `layer`.
    pub fn malformed(&mut self, number: u64, layer: &'static str, reason: impl Display) {
        self.text.clear();
        let _ = write!(self.text, "{layer}: {reason}");
        if let Some(known) = self.malformed.get_mut(self.text.as_str()) {
            known.count += 1;
        } else {
            let reason = if self.malformed.len() < REASON_LIMIT { self.text.as_str() } else { "other reasons" };
            self.malformed.entry(reason.to_owned()).or_insert(Malformed { count: 0, first: number }).count += 1;
        }
    }

    /// Packets that do not parse, by reason.
    pub fn malformed_packets(&self) -> &BTreeMap<String, Malformed> {
        &self.malformed
    }

    /// Something that this capture cannot show, as a sentence.
    pub fn note(&mut self, sentence: &'static str) {
        self.notes.insert(sentence);
    }

    /// All notes.
    pub fn notes(&self) -> impl Iterator<Item = &'static str> {
        self.notes.iter().copied()
    }

    fn event(&mut self, event: Event) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }
}
