//! The requests of one run, handed over in batches, and the per-second counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sojourn_core::{Duration, Time};

use super::RequestLog;
use super::line::LoggedRequest;
use super::second::{LoggedCounts, LoggedSecond};
use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;
use crate::prober::packets::Packets;
use crate::prober::peer::PeerCounts;

/// Interval of what is known besides.
const SECOND: Duration = Duration::from_secs(1);
/// Interval of batches.
const BATCH_EVERY: Duration = Duration::from_millis(250);
/// How long after its departure a request is handed over at the earliest: a duplicate of its response and its residence time
/// at the peer may come later.
const LAG: Duration = Duration::from_millis(500);

/// The log of a point that is measured.
#[derive(Clone, Debug)]
pub struct PointLog {
    /// Where requests are logged.
    pub log: RequestLog,
    /// Index of the point.
    pub point: u32,
}

/// The log of a run: how far its requests are written.
#[derive(Debug)]
pub struct RunLog {
    log: PointLog,
    size: u32,
    replication: u32,
    began: Time,
    /// Ends of the phases.
    ends: Vec<Time>,
    /// Octets that the load delivered, if there is one.
    delivered: Option<Arc<AtomicU64>>,
    /// Requests handed over.
    written: usize,
    /// When the next batch is due.
    next: Time,
    /// When the next second is over.
    second: Time,
}

impl RunLog {
    /// A run of requests of `size` octets whose first phase begins at `began`, with the ends of its phases.
    pub fn new(log: PointLog, size: u32, replication: u32, began: Time, ends: Vec<Time>) -> RunLog {
        let (delivered, written, next, second) = (None, 0, began, began);
        RunLog { log, size, replication, began, ends, delivered, written, next, second }
    }

    /// The same with the octets that a load delivers.
    pub fn with_load(self, delivered: Arc<AtomicU64>) -> RunLog {
        RunLog { delivered: Some(delivered), ..self }
    }

    /// Whether a second is over and has not been handed over yet.
    pub fn is_second_over(&self, now: Time) -> bool {
        now >= self.second
    }

    /// Hands over what is known now: of the load, and what the peer counted of a phase by a time.
    pub fn note(&mut self, now: Time, counted: Option<(u32, Time, PeerCounts)>) {
        self.second = now + SECOND;
        let load_octets = self.delivered.as_ref().map(|delivered| delivered.load(Ordering::Relaxed));
        if load_octets.is_none() && counted.is_none() {
            return;
        }
        let counted = counted.map(|(phase, at, counts)| LoggedCounts::of(phase, self.ns(at), &counts));
        let RunLog { log, size, replication, .. } = self;
        let (point, size, replication, at_ns) = (log.point, *size, *replication, self.ns(now));
        self.log.log.note(LoggedSecond { point, size, replication, at_ns, load_octets, counted });
    }

    /// Whether a batch is due.
    pub fn is_due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// Whether no batch was handed over for long, because there was never time for it.
    pub fn is_overdue(&self, now: Time) -> bool {
        now >= self.next + BATCH_EVERY.times(2)
    }

    /// Hands over the requests before index `decided`, which are answered or timed out, but for the latest.
    pub fn write(&mut self, decided: usize, packets: &Packets, clock: &Clock) {
        let now = clock.now();
        self.next = now + BATCH_EVERY;
        let within = &packets.all()[self.written..decided.max(self.written)];
        let until = self.written + within.partition_point(|packet| now.since(packet.sent) > LAG);
        self.hand_over(until, packets, clock);
    }

    /// Hands over the rest, with what the peer counted of each phase.
    pub fn finish(mut self, packets: &Packets, clock: &Clock, counts: impl Iterator<Item = Option<PeerCounts>>) {
        self.hand_over(packets.all().len(), packets, clock);
        let now = clock.now();
        for (phase, counts) in (0..).zip(counts) {
            self.note(now, counts.map(|counts| (phase, now, counts)));
        }
    }

    fn ns(&self, time: Time) -> u64 {
        time.since(self.began).picoseconds() / 1000
    }

    fn hand_over(&mut self, until: usize, packets: &Packets, clock: &Clock) {
        if until == self.written {
            return;
        }
        let pair = Pair::read(clock);
        let requests = (self.written..until).map(|index| self.line(index, packets, pair)).collect();
        self.log.log.write(requests);
        self.written = until;
    }

    fn line(&self, index: usize, packets: &Packets, pair: Pair) -> LoggedRequest {
        let packet = packets.all()[index];
        let sequence = packets.first_sequence() + index as u64;
        let ns = |time| self.ns(time);
        LoggedRequest {
            point: self.log.point,
            size: self.size,
            replication: self.replication,
            phase: self.ends.partition_point(|end| *end <= packet.intended) as u32,
            sequence,
            sent_unix_ns: pair.wall_ns_at(packet.sent),
            intended_ns: ns(packet.intended),
            sent_ns: ns(packet.sent),
            departed_ns: packet.departed.map(ns),
            arrived_ns: packet.kernel_received.map(ns),
            received_ns: packet.received.map(ns),
            far_received_ns: packet.far_received,
            far_sent_ns: packet.far_sent,
            sent_class: packets.sent_class(),
            far_class: packet.far_class,
            received_class: packet.received_class,
            duplicates: packets.duplicates_of(sequence),
        }
    }
}
