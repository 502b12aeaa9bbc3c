//! The sink that trackers report to: everything is tallied at once, per flow, per service and in total.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use sojourn_core::{Duration, Time};

use crate::can::CanBus;
use crate::ip::calls::Call;
use crate::ip::media::MediaStream;
use crate::ip::roles::Evidence;
use crate::mstp::TrunkStations;
use crate::series::Series;
use crate::slowest::Slowest;
use crate::tally::{Memory, Tally};
use crate::{FLOW_LIMIT, FlowId, FlowKey, Flows, Moment, Outcome, Packet, Service, Transaction};

/// Distinct reasons kept apart; any further one counts as "other reasons".
const REASON_LIMIT: usize = 256;
/// Notes at most.
const NOTE_LIMIT: usize = 64;
/// Services kept apart, such as ports of TCP; the flows of any further one are tallied by flow alone.
const SERVICE_LIMIT: usize = 256;
/// Beginnings of transactions that are kept of each flow, for its arrival law.
const ARRIVAL_LIMIT: usize = 4_096;
/// Beginnings of transactions that are kept of all flows.
const ALL_ARRIVALS_LIMIT: usize = 1_000_000;
/// The metric of closed windows.
const ZERO_WINDOW: &str = "zero_window_time";
/// Calls, and streams of media, that are kept one by one; any further one counts as evicted.
const CALL_LIMIT: usize = 65_536;

/// What trackers report: transactions, packets of flows, busy media, faults and notes.
#[derive(Debug, Default)]
pub struct Sink {
    flows: Flows,
    tallies: Vec<FlowTally>,
    services: IndexMap<Service, Tally, FixedState>,
    whole: Tally,
    series: Series,
    /// Bits on each medium.
    bits: BTreeMap<u32, u64>,
    memory: Memory,
    arrivals: usize,
    /// Everything reported, where a reader of single events asked for it.
    log: Option<Vec<Event>>,
    /// Conversations of two sides by what shows which of them serves.
    evidence: BTreeMap<Evidence, u64>,
    /// Packets that were found within others, by what is around them.
    within: BTreeMap<&'static str, u64>,
    streams: Vec<MediaStream>,
    calls: Vec<Call>,
    trunks: Vec<TrunkStations>,
    buses: Vec<CanBus>,
    /// The transactions that are worth a look, where they were asked for.
    slowest: Option<Box<Slowest>>,
    /// Number and stamp of the packet being taken.
    current: (u64, Time),
    malformed: BTreeMap<String, Malformed>,
    notes: BTreeSet<Cow<'static, str>>,
    text: String,
}

/// A flow as it was tallied.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    /// What was counted.
    pub tally: Tally,
    /// The first transactions: when each began, and the bytes of user data of request and answer.
    pub arrivals: Vec<Arrival>,
    /// What shows who serves, the weakest of its conversations; `None` where they have no server or only one side sends.
    pub evidence: Option<Evidence>,
    /// Its service's place, where services are kept apart.
    service: Option<usize>,
}

/// A transaction's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Stamp of its first packet.
    pub begin: Time,
    /// User data of the request in bytes.
    pub request_bytes: u32,
    /// User data of the answer in bytes.
    pub answer_bytes: u32,
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
        /// The medium, as its tracker numbers it.
        medium: u32,
        /// End of the transmission.
        end: Time,
        /// Bits on the medium.
        bits: u64,
    },
    /// An answer is complete, so long after the first packet of its request.
    Complete(FlowId, Time, Duration),
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

    /// The same sink, which keeps `limit` of the slowest transactions, and of those that were lost or sent again.
    pub fn keeping_slowest(self, limit: usize) -> Self {
        Sink { slowest: Some(Box::new(Slowest::new(limit))), ..self }
    }

    /// The slowest transactions; `None` unless made by [`Sink::keeping_slowest`].
    pub fn slowest(&self) -> Option<&Slowest> {
        self.slowest.as_deref()
    }

    /// The packet with this number and stamp is taken next.
    #[inline]
    pub fn take(&mut self, number: u64, time: Time) {
        self.current = (number, time);
    }

    /// The packet being taken, whose stamp is `time`.
    #[inline]
    pub fn moment(&self, time: Time) -> Moment {
        Moment { time, frame: Some(self.current.0).filter(|number| *number > 0) }
    }

    /// Everything reported, in order; empty unless made by [`Sink::with_log`].
    pub fn log(&self) -> &[Event] {
        self.log.as_deref().unwrap_or(&[])
    }

    /// Takes what was reported since the last time out of the log.
    pub fn drain_log(&mut self) -> impl Iterator<Item = Event> {
        self.log.iter_mut().flat_map(|log| log.drain(..))
    }

    /// All flows.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// What was tallied of a flow; `None` of one that reported nothing.
    pub fn flow_tally(&self, flow: FlowId) -> Option<&FlowTally> {
        self.tallies.get(flow.0 as usize)
    }

    /// What was tallied of each service, in order of first appearance.
    pub fn services(&self) -> impl Iterator<Item = (&Service, &Tally)> {
        self.services.iter()
    }

    /// What was tallied of all flows.
    pub fn whole(&self) -> &Tally {
        &self.whole
    }

    /// What happened when.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Bits that the media carried, by medium.
    pub fn bits(&self) -> &BTreeMap<u32, u64> {
        &self.bits
    }

    /// Conversations of two sides by what shows which of them serves.
    pub fn evidence(&self) -> &BTreeMap<Evidence, u64> {
        &self.evidence
    }

    /// Whether the response times of a flow can be distinguished, as those of its service.
    pub fn is_separable(&self, flow: FlowId) -> bool {
        let Some(FlowTally { tally, service, .. }) = self.tallies.get(flow.0 as usize) else { return true };
        let service = service.and_then(|service| self.services.get_index(service));
        service.map_or(tally, |(_, tally)| tally).is_separable()
    }

    /// Packets that were found within others, by what is around them.
    pub fn encapsulations(&self) -> &BTreeMap<&'static str, u64> {
        &self.within
    }

    /// Streams of media that have ended.
    pub fn streams(&self) -> &[MediaStream] {
        &self.streams
    }

    /// Calls that have ended.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Trunks of MS/TP, once the capture has ended.
    pub fn trunks(&self) -> &[TrunkStations] {
        &self.trunks
    }

    /// Buses of CAN, once the capture has ended.
    pub fn can_buses(&self) -> &[CanBus] {
        &self.buses
    }

    /// Packets that do not parse, by reason.
    pub fn malformed_packets(&self) -> &BTreeMap<String, Malformed> {
        &self.malformed
    }

    /// All notes.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.notes.iter().map(AsRef::as_ref)
    }

    /// The number of a flow.
    pub fn flow(&mut self, key: FlowKey) -> FlowId {
        let flow = self.flows.intern(key);
        let place = flow.0 as usize;
        if place >= self.tallies.len() {
            self.add_flow(place, key.service);
        }
        flow
    }

    /// A transaction ended.
    pub fn transaction(&mut self, transaction: Transaction) {
        let Self { memory, whole, series, .. } = self;
        whole.transaction(&transaction, memory);
        if transaction.outcome != Outcome::BeganBefore {
            let bin = series.at(transaction.begin);
            bin.transactions += 1;
            bin.retries += u64::from(transaction.retries());
            bin.unanswered += u64::from(matches!(transaction.outcome, Outcome::Unanswered | Outcome::Refused));
            if let (Outcome::Answered, Some(end)) = (transaction.outcome, transaction.end) {
                bin.answered += 1;
                bin.response += u128::from(end.since(transaction.begin).picoseconds());
            }
        }
        self.keep_arrival(&transaction);
        if let Some(slowest) = &mut self.slowest {
            slowest.transaction(&transaction, &self.flows, self.current.1);
        }
        self.each(transaction.flow, |tally, memory| tally.transaction(&transaction, memory));
        self.event(Event::Transaction(transaction));
    }

    /// The last packet of an answer was captured at `time`, that of a request which began at `begin`.
    pub fn complete(&mut self, flow: FlowId, begin: Time, time: Time) {
        let span = time.since(begin);
        self.whole.complete(span, &mut self.memory);
        self.each(flow, |tally, memory| tally.complete(span, memory));
        self.event(Event::Complete(flow, time, span));
    }

    /// Who serves in a conversation of a flow was found by this evidence.
    pub fn served_by(&mut self, flow: FlowId, evidence: Evidence) {
        *self.evidence.entry(evidence).or_default() += 1;
        if let Some(flow) = self.tallies.get_mut(flow.0 as usize) {
            flow.evidence = flow.evidence.max(Some(evidence));
        }
    }

    /// The packet being taken is within another one.
    pub fn within(&mut self, what: &'static str) {
        *self.within.entry(what).or_default() += 1;
    }

    /// A stream of media has ended.
    pub fn stream(&mut self, stream: MediaStream) {
        match self.streams.len() < CALL_LIMIT {
            true => self.streams.push(stream),
            false => self.count(FlowId::REST, "evicted", 1),
        }
    }

    /// A call has ended.
    pub fn call(&mut self, call: Call) {
        match self.calls.len() < CALL_LIMIT {
            true => self.calls.push(call),
            false => self.count(FlowId::REST, "evicted", 1),
        }
    }

    /// A trunk of MS/TP has ended with the capture.
    pub fn trunk(&mut self, trunk: TrunkStations) {
        self.trunks.push(trunk);
    }

    /// A bus of CAN has ended with the capture.
    pub fn can_bus(&mut self, bus: CanBus) {
        self.buses.push(bus);
    }

    /// A packet of a flow was sent.
    #[inline]
    pub fn sent(&mut self, packet: Sent) {
        self.whole.packet(&packet);
        let bin = self.series.at(packet.time);
        bin.packets += 1;
        bin.l3_bytes += u64::from(packet.l3_bytes);
        if !packet.repeated {
            bin.new_bytes += u64::from(packet.l4_bytes);
        }
        self.each(packet.flow, |tally, _| tally.packet(&packet));
        if let Some(slowest) = &mut self.slowest {
            slowest.sent(&packet, self.current.0);
        }
        self.event(Event::Sent(packet));
    }

    /// A medium, as its tracker numbers them, carried `bits` until `end`, preambles and gaps included.
    #[inline]
    pub fn busy(&mut self, medium: u32, end: Time, bits: u64) {
        *self.bits.entry(medium).or_default() += bits;
        self.series.at(end).bits += bits;
        self.event(Event::Busy { medium, end, bits });
    }

    /// Adds to a count of a flow, by the name of its metric.
    #[inline]
    pub fn count(&mut self, flow: FlowId, metric: &'static str, more: u64) {
        self.whole.count(metric, more);
        self.each(flow, |tally, _| tally.count(metric, more));
        self.event(Event::Count(flow, metric, more));
    }

    /// A duration of a flow that ended at `time`, by the name of its metric.
    #[inline]
    pub fn sample(&mut self, flow: FlowId, metric: &'static str, time: Time, duration: Duration) {
        self.whole.sample(metric, duration, &mut self.memory);
        self.each(flow, |tally, memory| tally.sample(metric, duration, memory));
        if let Some(slowest) = self.slowest.as_mut().filter(|_| metric == ZERO_WINDOW) {
            slowest.window(flow, time, duration);
        }
        self.event(Event::Sample(flow, metric, time, duration));
    }

    /// Packet `number` does not parse in `layer`.
    #[cold]
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

    /// A packet does not parse in `layer`; those that the capture cut are counted apart from the others.
    #[cold]
    pub fn unparsed(&mut self, packet: &Packet<'_>, layer: &'static str, reason: impl Display) {
        if (packet.original_length as usize) > packet.data.len() {
            self.malformed(packet.number, layer, format_args!("{reason} (cut by the snap length)"));
        } else {
            self.malformed(packet.number, layer, reason);
        }
    }

    /// Something that this capture cannot show, or that its numbers rest on, as a sentence.
    pub fn note(&mut self, sentence: impl Into<Cow<'static, str>>) {
        if self.notes.len() < NOTE_LIMIT {
            self.notes.insert(sentence.into());
        }
    }

    #[cold]
    fn add_flow(&mut self, place: usize, service: Service) {
        let known = self.services.get_index_of(&service);
        let service = known.or_else(|| {
            let room = self.services.len() < SERVICE_LIMIT && place < FLOW_LIMIT;
            room.then(|| self.services.insert_full(service, Tally::default()).0)
        });
        self.tallies.resize_with(place + 1, FlowTally::default);
        // flows beyond the limit are of many services
        self.tallies[place].service = service.filter(|_| place < FLOW_LIMIT);
    }

    /// Passes on to the tally of a flow and that of its service.
    #[inline]
    fn each(&mut self, flow: FlowId, report: impl Fn(&mut Tally, &mut Memory)) {
        let Self { tallies, services, memory, .. } = self;
        let Some(FlowTally { tally, service, .. }) = tallies.get_mut(flow.0 as usize) else { return };
        report(tally, memory);
        if let Some((_, tally)) = service.and_then(|service| services.get_index_mut(service)) {
            report(tally, memory);
        }
    }

    fn keep_arrival(&mut self, transaction: &Transaction) {
        let Some(flow) = self.tallies.get_mut(transaction.flow.0 as usize) else { return };
        if transaction.outcome == Outcome::BeganBefore {
            return;
        }
        flow.tally.arrival(transaction.begin, &mut self.memory);
        if flow.arrivals.len() < ARRIVAL_LIMIT && self.arrivals < ALL_ARRIVALS_LIMIT {
            self.arrivals += 1;
            let Transaction { begin, request_bytes, answer_bytes, .. } = *transaction;
            flow.arrivals.push(Arrival { begin, request_bytes, answer_bytes });
        }
    }

    #[inline]
    fn event(&mut self, event: Event) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }
}
