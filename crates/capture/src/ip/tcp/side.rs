//! One side of a connection: the data it sends, and what the other side acknowledges.

use smallvec::SmallVec;
use sojourn_core::{Duration, Time};
use sojourn_protocols::tcp::wire::SackBlocks;

use super::loss::{Class, Evidence, Hole, Recovery};
use super::pool::{Pool, Queue, Record};
use super::rtt::Rtt;
use super::sequence::{contains, is_before, overlap};
use crate::{FlowId, Sink};

/// Holes that are remembered; what fills a further one counts as sent again.
const HOLES: usize = 16;
/// Segments in flight that are remembered of a side; the oldest is forgotten, as where no acknowledgements are captured.
const IN_FLIGHT: u32 = 4_096;
/// Retransmissions of a side that may still turn out spurious.
const UNDECIDED: u32 = 64;
/// After this a retransmission stays what it was found to be: later than any acknowledgement of it.
const DECIDED_AFTER: Duration = Duration::from_secs(2);
/// A packet with the identification field of the last copy is the same packet, captured twice, within this time.
const COPY_WITHIN: Duration = Duration::from_millis(500);
/// Round-trip times of which the shortest is near that of an empty path.
const ENOUGH_SAMPLES: u32 = 10;
/// A segment that comes later than this was sent again by the timer, however long the round-trip time: half of the shortest
/// retransmission timeout of systems of today.
const LONGEST_REORDERING: Duration = Duration::from_millis(100);
/// Duplicate acknowledgements that report a loss to a sender (RFC 5681, 3.2).
const DUPLICATES: u32 = 3;
/// Without a round-trip time, a segment that comes this long after the one behind it was overtaken.
const REORDERING: Duration = Duration::from_millis(3);

/// A segment that occupies sequence numbers: data, SYN or FIN.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Stamp.
    pub time: Time,
    /// Its sequence numbers: the first, and the one after the last.
    pub range: (u32, u32),
    /// Whether it has SYN or FIN.
    pub is_control: bool,
    /// Whether its receiver has no room.
    pub is_window_closed: bool,
    /// TSval, with timestamps.
    pub ts_val: Option<u32>,
    /// The identification field of IPv4, 0 of IPv6.
    pub identification: u16,
    /// The shortest time from the point of capture to its sender and back: no retransmission comes sooner.
    pub min_rtt: Option<Duration>,
}

/// What the other side acknowledges.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// Stamp.
    pub time: Time,
    /// The next sequence number it expects.
    pub ack: u32,
    /// Whether the segment has neither data nor SYN nor FIN, and its window is that of the one before.
    pub may_be_duplicate: bool,
    /// TSecr, with timestamps.
    pub ts_ecr: Option<u32>,
    /// Selective acknowledgements.
    pub sack: SackBlocks,
}

/// What a segment was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It has sequence numbers above all before.
    New,
    /// It was overtaken by one that was sent later.
    OutOfOrder,
    /// It was sent before; whether the point of capture sees its data for the first time.
    Repeated {
        /// The first copy was lost before it came here.
        is_first_here: bool,
    },
    /// It asks whether the other side is there (RFC 9293, 3.8.4).
    KeepAlive,
    /// It asks whether the other side has room again (RFC 9293, 3.8.6.1).
    WindowProbe,
    /// The same packet was captured before.
    Copy,
}

/// The sending state of one side.
#[derive(Debug)]
pub struct Side {
    /// Name of the metric of its round-trip times.
    rtt_metric: &'static str,
    /// The highest sequence number sent, plus one.
    next: Option<u32>,
    /// The lowest that is not acknowledged.
    acknowledged: Option<u32>,
    /// Behind the octets with which a closed window was probed: the other side may take them.
    probed: Option<u32>,
    holes: SmallVec<[Hole; 2]>,
    in_flight: Queue,
    /// Retransmissions that may still turn out spurious.
    undecided: Queue,
    duplicate_acks: u32,
    sacked: SackBlocks,
    recovery: Recovery,
    /// When the other side was heard last.
    heard: Time,
    rtt: Rtt,
    min_rtt: Option<Duration>,
    rtt_samples: u32,
    /// Up to here round-trip times are ambiguous, because something before was sent again (Karn's algorithm).
    ambiguous_until: Option<u32>,
}

impl Side {
    /// A side without captured segments; its round-trip times have the name `rtt_metric`.
    pub fn new(rtt_metric: &'static str) -> Side {
        Side {
            rtt_metric,
            next: None,
            acknowledged: None,
            probed: None,
            holes: SmallVec::new(),
            in_flight: Queue::default(),
            undecided: Queue::default(),
            duplicate_acks: 0,
            sacked: SackBlocks::default(),
            recovery: Recovery::None,
            heard: Time::ZERO,
            rtt: Rtt::default(),
            min_rtt: None,
            rtt_samples: 0,
            ambiguous_until: None,
        }
    }

    /// This side was taken for the other one: what was found of both changes places, but for the names of metrics.
    pub fn exchange(&mut self, other: &mut Side) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.rtt_metric, &mut other.rtt_metric);
    }

    /// The highest sequence number sent, plus one.
    pub fn next(&self) -> Option<u32> {
        self.next
    }

    /// The shortest time from the point of capture to the other side and back, if one was measured; of a few samples, as of a
    /// handshake that may have waited in a queue, no more than reordering usually takes.
    pub fn min_rtt(&self) -> Option<Duration> {
        let is_known = self.rtt_samples >= ENOUGH_SAMPLES;
        self.min_rtt.map(|shortest| if is_known { shortest } else { shortest.min(REORDERING) })
    }

    /// It sends a segment.
    pub fn send(&mut self, segment: &Segment, flow: FlowId, pool: &mut Pool, out: &mut Sink) -> Sent {
        self.decide(segment.time, flow, pool, out);
        let (begin, end) = segment.range;
        let Some(next) = self.next else {
            self.acknowledged.get_or_insert(begin);
            self.new_data(segment, segment.range, pool);
            return Sent::New;
        };
        if segment.is_window_closed && !segment.is_control && self.acknowledged == Some(begin) {
            self.probed = Some(end);
            out.count(flow, "zero_window_probes", 1);
            return Sent::WindowProbe;
        }
        if !is_before(begin, next) {
            if begin != next && self.holes.len() < HOLES {
                let noticed = Hole { range: (next, begin), noticed: segment.time, ts_val: segment.ts_val };
                self.holes.push(noticed);
            }
            self.new_data(segment, segment.range, pool);
            return Sent::New;
        }
        if self.is_keep_alive(segment, next) {
            return Sent::KeepAlive;
        }
        let sent = self.old_data(segment, (begin, if is_before(next, end) { next } else { end }), flow, pool, out);
        if is_before(next, end) {
            self.new_data(segment, (next, end), pool);
        }
        sent
    }

    /// The other side acknowledges.
    pub fn acknowledge(&mut self, by: &Acknowledgement, flow: FlowId, pool: &mut Pool, out: &mut Sink) {
        let Acknowledgement { time, ack, .. } = *by;
        self.decide(time, flow, pool, out);
        if self.next.is_none_or(|next| is_before(next, ack)) {
            let is_probe = self.probed.is_some_and(|probed| !is_before(probed, ack));
            if self.next.is_some() && !is_probe {
                out.count(flow, "unseen_acknowledged", 1);
            }
            self.next = Some(ack);
        }
        let acknowledged = *self.acknowledged.get_or_insert(ack);
        if is_before(acknowledged, ack) {
            self.acknowledged = Some(ack);
            self.heard = time;
            self.duplicate_acks = 0;
            self.holes.retain(|hole| is_before(ack, hole.range.1));
            self.recovery.acknowledged(ack);
            self.delivered(by, flow, pool, out);
        } else if ack == acknowledged && self.next != Some(ack) && by.may_be_duplicate {
            self.duplicate_acks += 1;
            self.heard = time;
        }
        self.selective(by, pool);
    }

    /// Reports retransmissions that may not turn out spurious any more, all at the end.
    pub fn finish(&mut self, flow: FlowId, pool: &mut Pool, out: &mut Sink) {
        while let Some(record) = pool.pop(&mut self.undecided) {
            out.count(flow, record.class.metric(), 1);
        }
        pool.clear(&mut self.in_flight);
    }

    fn new_data(&mut self, segment: &Segment, range: (u32, u32), pool: &mut Pool) {
        self.next = Some(range.1);
        if self.in_flight.len() >= IN_FLIGHT {
            pool.pop(&mut self.in_flight);
        }
        // without a place in the pool its round-trip time is not measured
        pool.push(&mut self.in_flight, record(segment, range, Class::Spurious));
    }

    /// Octets 0 or 1 below the next sequence number, with nothing outstanding.
    fn is_keep_alive(&self, segment: &Segment, next: u32) -> bool {
        let is_probe = segment.range.0 == next.wrapping_sub(1) && segment.range.1 == next;
        is_probe && !segment.is_control && self.acknowledged == Some(next)
    }

    /// A segment below the next sequence number: overtaken, sent again, or captured twice.
    fn old_data(
        &mut self,
        segment: &Segment,
        range: (u32, u32),
        flow: FlowId,
        pool: &mut Pool,
        out: &mut Sink,
    ) -> Sent {
        let hole = self.fill_hole(range);
        let soonest = segment.min_rtt.unwrap_or(REORDERING).min(LONGEST_REORDERING);
        let is_loss_reported = self.is_loss_reported(range);
        let is_overtaken =
            |hole: Hole| hole.is_filled_by_reordering(segment.time, segment.ts_val, soonest, is_loss_reported);
        if hole.is_some_and(is_overtaken) {
            self.ambiguous_until = self.next;
            out.count(flow, "out_of_order", 1);
            return Sent::OutOfOrder;
        }
        let Earlier { sent, is_copy, was_repeated } = self.earlier(segment, range, pool);
        if hole.is_none() && is_copy {
            out.count(flow, "captured_twice", 1);
            return Sent::Copy;
        }
        let sent = hole.map(|hole| hole.noticed).or(sent).unwrap_or(self.heard);
        let class = self.classify(segment, range, sent, was_repeated);
        self.ambiguous_until = self.next;
        out.count(flow, "retransmissions", 1);
        if self.undecided.len() >= UNDECIDED
            && let Some(oldest) = pool.pop(&mut self.undecided)
        {
            out.count(flow, oldest.class.metric(), 1);
        }
        if !pool.push(&mut self.undecided, record(segment, range, class)) {
            out.count(flow, class.metric(), 1);
        }
        Sent::Repeated { is_first_here: hole.is_some() }
    }

    /// Whether the loss of a range has been reported to the sender: by duplicate acknowledgements, by selective ones (IsLost of RFC
    /// 6675, 4), or because it recovers already.
    fn is_loss_reported(&self, range: (u32, u32)) -> bool {
        let above = self.sacked.as_slice().iter().filter(|(left, _)| !is_before(*left, range.1));
        let (ranges, octets) = above.fold((0, 0_u32), |(ranges, octets), (left, right)| {
            (ranges + 1, octets.saturating_add(right.wrapping_sub(*left)))
        });
        let segments = |count: u32| count.saturating_mul(range.1.wrapping_sub(range.0));
        let is_lost = ranges >= DUPLICATES || octets > segments(DUPLICATES - 1);
        self.duplicate_acks >= DUPLICATES || is_lost || self.recovery.covers(range)
    }

    fn classify(&mut self, segment: &Segment, range: (u32, u32), sent: Time, was_repeated: bool) -> Class {
        let next = self.next.unwrap_or(range.1);
        let is_above = |&(left, _): &(u32, u32)| !is_before(left, range.1);
        let blocks = self.sacked.as_slice();
        let is_acknowledged = self.acknowledged.is_some_and(|acknowledged| !is_before(acknowledged, range.1))
            || blocks.iter().any(|block| contains(*block, range));
        let evidence = Evidence {
            range,
            is_acknowledged,
            shows_loss: self.duplicate_acks > 0 || blocks.iter().any(is_above),
            was_repeated,
            is_behind_others: self.acknowledged.is_some_and(|acknowledged| is_before(acknowledged, range.0)),
            age: segment.time.since(sent),
            silence: segment.time.since(self.heard.max(sent)),
            rto: self.rtt.rto(),
            next,
        };
        self.recovery.classify(&evidence)
    }

    /// Removes a range from the holes; returns the hole that it fills.
    fn fill_hole(&mut self, range: (u32, u32)) -> Option<Hole> {
        let place = self.holes.iter().position(|hole| overlap(hole.range, range))?;
        let hole = self.holes[place];
        let (begin, end) = hole.range;
        match (is_before(begin, range.0), is_before(range.1, end)) {
            (true, true) => {
                self.holes[place].range.1 = range.0;
                if self.holes.len() < HOLES {
                    self.holes.push(Hole { range: (range.1, end), ..hole });
                }
            }
            (true, false) => self.holes[place].range.1 = range.0,
            (false, true) => self.holes[place].range.0 = range.1,
            (false, false) => {
                self.holes.swap_remove(place);
            }
        }
        Some(hole)
    }

    /// What was captured of a range before; its records become those of this copy.
    fn earlier(&self, segment: &Segment, range: (u32, u32), pool: &mut Pool) -> Earlier {
        let mut earlier = Earlier::default();
        pool.visit(&self.in_flight, |record| {
            if overlap(record.range, range) {
                earlier.sent.get_or_insert(record.time);
                earlier.was_repeated |= record.is_repeated;
                earlier.is_copy |= is_copy(record, segment, range);
                if !earlier.is_copy {
                    record.time = segment.time;
                    record.ts_val = segment.ts_val.unwrap_or(0);
                    record.identification = segment.identification;
                    record.is_repeated = true;
                }
            }
            is_before(record.range.1, range.1)
        });
        earlier
    }

    /// Takes acknowledged segments out of flight: the round-trip time of the last, and whether the first was sent again in
    /// vain.
    fn delivered(&mut self, by: &Acknowledgement, flow: FlowId, pool: &mut Pool, out: &mut Sink) {
        let (mut first, mut last) = (None, None);
        while pool.front(&self.in_flight).is_some_and(|record| !is_before(by.ack, record.range.1)) {
            let record = pool.pop(&mut self.in_flight);
            first = first.or(record);
            last = record.or(last);
        }
        // the acknowledgement returns the timestamp of the first copy: that one arrived (RFC 3522, section 3.2)
        if let (Some(first), Some(ts_ecr)) = (first, by.ts_ecr)
            && first.is_repeated
            && is_before(ts_ecr, first.ts_val)
        {
            self.mark_spurious(first.range, pool);
        }
        let Some(last) = last.filter(|last| last.range.1 == by.ack && !last.is_repeated) else { return };
        if self.ambiguous_until.is_some_and(|until| is_before(last.range.0, until)) {
            return;
        }
        self.ambiguous_until = None;
        let rtt = by.time.since(last.time);
        self.rtt.sample(rtt);
        self.rtt_samples = self.rtt_samples.saturating_add(1);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |known| known.min(rtt)));
        out.sample(flow, self.rtt_metric, by.time, rtt);
    }

    /// Takes selective acknowledgements; the first block may be a duplicate one (RFC 2883, section 4).
    fn selective(&mut self, by: &Acknowledgement, pool: &mut Pool) {
        let blocks = by.sack.as_slice();
        let duplicate = blocks.first().filter(|first| {
            !is_before(by.ack, first.1) || blocks.get(1).is_some_and(|second| contains(*second, **first))
        });
        if let Some(duplicate) = duplicate {
            self.mark_spurious(*duplicate, pool);
        }
        self.sacked = SackBlocks::default();
        for block in &blocks[usize::from(duplicate.is_some())..] {
            self.sacked.push(block.0, block.1);
        }
    }

    /// The receiver had these sequence numbers before they were sent again.
    fn mark_spurious(&self, range: (u32, u32), pool: &mut Pool) {
        pool.visit(&self.undecided, |record| {
            if overlap(record.range, range) {
                record.class = Class::Spurious;
            }
            true
        });
    }

    /// Reports retransmissions of some time ago.
    fn decide(&mut self, now: Time, flow: FlowId, pool: &mut Pool, out: &mut Sink) {
        while pool.front(&self.undecided).is_some_and(|record| now.since(record.time) >= DECIDED_AFTER) {
            if let Some(record) = pool.pop(&mut self.undecided) {
                out.count(flow, record.class.metric(), 1);
            }
        }
    }
}

/// What was captured of a range of sequence numbers before.
#[derive(Clone, Copy, Debug, Default)]
struct Earlier {
    /// When it was sent last.
    sent: Option<Time>,
    /// Whether it was the same packet.
    is_copy: bool,
    /// Whether that was not the first time.
    was_repeated: bool,
}

fn is_copy(record: &Record, segment: &Segment, range: (u32, u32)) -> bool {
    let is_same_packet = record.identification != 0 && record.identification == segment.identification;
    let is_same = is_same_packet && record.range == range && record.ts_val == segment.ts_val.unwrap_or(0);
    is_same && segment.time.since(record.time) < COPY_WITHIN
}

fn record(segment: &Segment, range: (u32, u32), class: Class) -> Record {
    Record {
        range,
        time: segment.time,
        ts_val: segment.ts_val.unwrap_or(0),
        identification: segment.identification,
        is_repeated: false,
        class,
    }
}
