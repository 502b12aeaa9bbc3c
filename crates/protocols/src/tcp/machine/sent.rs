//! Segments in flight: when each was sent last and what had been delivered then, for RACK (RFC 8985, 5.2) and for samples of the
//! delivery rate (draft-ietf-ccwg-bbr, 4.1). Kept only where one of them is in use.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::sequence::{Position, SequenceNumbers};
use crate::tcp::wire::SackBlocks;

/// SACKed segments that show a loss even where segments were never reordered (RFC 8985, 6.2, step 4).
const DUP_THRESH: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Sacked,
    Lost,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    from: Position,
    end: Position,
    state: State,
    is_retransmitted: bool,
    /// When it was sent last.
    sent: Time,
    /// Octets that had been delivered and lost then, and when the last of them was delivered.
    delivered: u64,
    delivered_time: Time,
    lost: u64,
    /// When the first segment was sent of those whose delivery is measured with it.
    first_sent: Time,
    /// Octets in flight with it.
    in_flight: u64,
    is_app_limited: bool,
}

/// What an acknowledgement shows of the path (draft-ietf-ccwg-bbr-04, 4.1.2.1.3 and 4.1.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RateSample {
    /// Octets per second, if the acknowledgement gives a valid sample.
    pub rate: Option<f64>,
    /// RTT of the segment that was sent last of those that were delivered.
    pub rtt: Option<Duration>,
    /// Octets that were delivered with this acknowledgement, and that it shows to be lost.
    pub newly_acked: u64,
    pub newly_lost: u64,
    /// Octets delivered, and lost, since that segment was sent.
    pub delivered: u64,
    pub lost: u64,
    /// Octets that had been delivered when it was sent, and those in flight then.
    pub prior_delivered: u64,
    pub in_flight: u64,
    pub is_app_limited: bool,
    /// Octets in flight with the first segment whose loss made too many of them, as far as they were not too many, and whether the
    /// application limited the sender then.
    pub too_many: Option<(u64, bool)>,
}

/// Share of losses among the octets in flight with a segment that are too many (BBR.LossThresh; draft-ietf-ccwg-bbr-04, 2.7).
pub(super) const LOSS_THRESH: f64 = 0.02;

/// The segments in flight, in the order of their positions.
#[derive(Clone, Debug)]
pub(super) struct SentSegments {
    ring: VecDeque<Segment>,
    /// Octets that are neither delivered nor lost.
    pipe: u64,
    /// Segments that are SACKed.
    sacked: usize,
    /// Position below which nothing is lost and waits for its retransmission.
    lost_from: Position,
    /// RACK.xmit_ts and RACK.end_seq of the segment that was sent last of those delivered, and its RTT, RACK.rtt.
    newest: Option<(Time, Position)>,
    rtt: Duration,
    min_rtt: Duration,
    /// RACK.fack: position after the highest that was delivered.
    fack: Position,
    /// Whether a segment was delivered after a later one.
    reordering_seen: bool,
    /// C.delivered, C.delivered_time, C.first_sent_time, C.lost and C.app_limited.
    delivered: u64,
    delivered_time: Time,
    first_sent: Time,
    lost: u64,
    app_limited: u64,
    /// The segment that the sample is of: when it was sent, and when it and the delivery before it began.
    sampled: Option<Segment>,
    sample: RateSample,
}

impl SentSegments {
    pub fn new() -> Self {
        SentSegments {
            ring: VecDeque::new(),
            pipe: 0,
            sacked: 0,
            lost_from: Position::MAX,
            newest: None,
            rtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            fack: 0,
            reordering_seen: false,
            delivered: 0,
            delivered_time: Time::ZERO,
            first_sent: Time::ZERO,
            lost: 0,
            app_limited: 0,
            sampled: None,
            sample: RateSample::default(),
        }
    }

    /// Octets that are neither delivered nor lost.
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Whether some segments are SACKed.
    pub fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// C.delivered: octets that were delivered so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// What the last acknowledgement showed.
    pub fn sample(&self) -> &RateSample {
        &self.sample
    }

    /// The segment with positions from `from` to before `end` is sent, or sent again.
    pub fn on_transmission(&mut self, now: Time, from: Position, end: Position) {
        if self.pipe == 0 {
            (self.first_sent, self.delivered_time) = (now, now);
        }
        if self.ring.back().is_none_or(|last| from >= last.end) {
            self.pipe += end - from;
            let segment = self.stamped(now, from, end, false);
            self.ring.push_back(segment);
            return;
        }
        let begin = self.ring.partition_point(|segment| segment.end <= from);
        for index in begin..self.ring.len() {
            let Segment { from, end: own_end, state, .. } = self.ring[index];
            if from >= end {
                break;
            }
            if state == State::Lost {
                self.pipe += own_end - from;
            }
            if state != State::Sacked {
                self.ring[index] = self.stamped(now, from, own_end, true);
            }
            self.lost_from = self.lost_from.max(own_end);
        }
        // data behind a probe of the window, which is part of them
        let known = self.ring.back().map_or(from, |last| last.end);
        if known < end {
            self.pipe += end - known;
            let segment = self.stamped(now, known, end, false);
            self.ring.push_back(segment);
        }
    }

    fn stamped(&self, now: Time, from: Position, end: Position, is_retransmitted: bool) -> Segment {
        Segment {
            from,
            end,
            state: State::InFlight,
            is_retransmitted,
            sent: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            lost: self.lost,
            first_sent: self.first_sent,
            in_flight: self.pipe,
            is_app_limited: self.app_limited > 0,
        }
    }

    /// The sender has nothing more to send, though windows permit it: what is sent next measures the application.
    pub fn limited_by_application(&mut self) {
        self.app_limited = (self.delivered + self.pipe).max(1);
    }

    /// An acknowledgement up to `acked` has arrived, with these SACK blocks.
    pub fn on_ack(&mut self, now: Time, acked: Position, blocks: &SackBlocks, sequence: SequenceNumbers) {
        (self.sampled, self.sample) = (None, RateSample::default());
        while let Some(segment) = self.ring.front().copied().filter(|segment| segment.end <= acked) {
            self.ring.pop_front();
            if segment.state == State::Sacked {
                self.sacked -= 1;
            } else {
                self.deliver(now, &segment);
            }
        }
        for &(left, right) in blocks.as_slice() {
            if let Some((left, right)) = sequence.position(acked, left).zip(sequence.position(acked, right)) {
                self.sack(now, left, right);
            }
        }
        self.complete_sample(now);
    }

    fn sack(&mut self, now: Time, left: Position, right: Position) {
        let begin = self.ring.partition_point(|segment| segment.from < left);
        for index in begin..self.ring.len() {
            let segment = self.ring[index];
            if segment.end > right {
                break;
            }
            if segment.state != State::Sacked {
                self.deliver(now, &segment);
                self.ring[index].state = State::Sacked;
                self.sacked += 1;
            }
        }
    }

    /// A segment was delivered: takes its times for RACK (RFC 8985, 6.2, steps 1 to 3) and for the sample of the rate.
    fn deliver(&mut self, now: Time, segment: &Segment) {
        let octets = segment.end - segment.from;
        if segment.state == State::InFlight {
            self.pipe -= octets;
        }
        self.delivered += octets;
        self.delivered_time = now;
        self.sample.newly_acked += octets;
        let rtt = now - segment.sent;
        // an original may be acknowledged just after its retransmission
        let is_of_original = segment.is_retransmitted && rtt < self.min_rtt;
        if !is_of_original {
            if !segment.is_retransmitted {
                self.min_rtt = self.min_rtt.min(rtt);
            }
            if self.newest.is_none_or(|newest| (segment.sent, segment.end) > newest) {
                (self.newest, self.rtt) = (Some((segment.sent, segment.end)), rtt);
            }
        }
        self.reordering_seen |= segment.end < self.fack && !segment.is_retransmitted;
        self.fack = self.fack.max(segment.end);
        if self.sampled.is_none_or(|other| (segment.sent, segment.end) > (other.sent, other.end)) {
            self.sampled = Some(*segment);
        }
    }

    fn complete_sample(&mut self, now: Time) {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let Some(segment) = self.sampled else { return };
        self.first_sent = segment.sent;
        let interval = (segment.sent - segment.first_sent).max(now - segment.delivered_time);
        let delivered = self.delivered - segment.delivered;
        // one that is shorter than any RTT is of acknowledgements that came together
        let is_valid = interval >= self.min_rtt && interval > Duration::ZERO;
        self.sample = RateSample {
            rate: is_valid.then(|| delivered as f64 / interval.seconds()),
            rtt: (!segment.is_retransmitted).then(|| now - segment.sent),
            delivered,
            lost: self.lost - segment.lost,
            prior_delivered: segment.delivered,
            in_flight: segment.in_flight,
            is_app_limited: segment.is_app_limited,
            ..self.sample
        };
    }

    /// A timer expires, with which nothing was delivered.
    pub fn on_timer(&mut self) {
        (self.sampled, self.sample) = (None, RateSample::default());
    }

    /// Marks segments as lost that were sent long enough before one that was delivered (RFC 8985, 6.2, step 5). Returns when others
    /// will be, if no acknowledgement shows the contrary.
    pub fn detect_losses(&mut self, now: Time, srtt: Duration, in_recovery: bool) -> Option<Time> {
        let newest = self.newest?;
        let within = self.rtt + self.reordering_window(srtt, in_recovery);
        let mut due: Option<Time> = None;
        for index in 0..self.ring.len() {
            let segment = self.ring[index];
            if !segment.is_retransmitted && segment.sent > newest.0 {
                break; // and so was all behind it
            }
            if segment.state != State::InFlight || (segment.sent, segment.end) >= newest {
                continue;
            }
            let expiry = segment.sent + within;
            if expiry <= now {
                self.lose(index);
            } else {
                due = Some(due.map_or(expiry, |due| due.max(expiry)));
            }
        }
        self.sample.lost = self.sampled.map_or(self.sample.lost, |segment| self.lost - segment.lost);
        due
    }

    /// RACK.reo_wnd (RFC 8985, 6.2, step 4), without DSACK.
    fn reordering_window(&self, srtt: Duration, in_recovery: bool) -> Duration {
        if !self.reordering_seen && (in_recovery || self.sacked >= DUP_THRESH) {
            return Duration::ZERO;
        }
        self.min_rtt.divided(4).min(srtt)
    }

    fn lose(&mut self, index: usize) {
        let Segment { from, end, lost, in_flight, is_app_limited, .. } = self.ring[index];
        let octets = end - from;
        self.ring[index].state = State::Lost;
        self.pipe -= octets;
        self.lost += octets;
        self.sample.newly_lost += octets;
        self.lost_from = self.lost_from.min(from);
        let with_it = self.lost - lost;
        if self.sample.too_many.is_none() && with_it as f64 > LOSS_THRESH * in_flight as f64 {
            self.sample.too_many = Some((tolerated(in_flight - octets, with_it - octets), is_app_limited));
        }
    }

    /// A timeout: all that was not delivered counts as lost. RFC 8985, 6.3 spares what was sent less than an RTT ago.
    pub fn on_rto(&mut self) {
        for index in 0..self.ring.len() {
            if self.ring[index].state == State::InFlight {
                self.lose(index);
            }
        }
    }

    /// Positions of the first segment that is lost and not sent again yet.
    pub fn next_lost(&mut self) -> Option<(Position, Position)> {
        if self.lost_from == Position::MAX {
            return None;
        }
        let begin = self.ring.partition_point(|segment| segment.end <= self.lost_from);
        let found = self.ring.range(begin..).find(|segment| segment.state == State::Lost);
        self.lost_from = found.map_or(Position::MAX, |segment| segment.from);
        found.map(|segment| (segment.from, segment.end))
    }

    /// Positions of the last segment.
    pub fn last(&self) -> Option<(Position, Position)> {
        self.ring.back().map(|segment| (segment.from, segment.end))
    }
}

/// Octets in flight at which losses became too many: some of those of the last segment, before which `lost` of `in_flight` were
/// lost (BBRInflightAtLoss(); draft-ietf-ccwg-bbr, 5.5.10.2).
fn tolerated(in_flight: u64, lost: u64) -> u64 {
    let more = (LOSS_THRESH * in_flight as f64 - lost as f64) / (1.0 - LOSS_THRESH);
    in_flight + more.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEQUENCE: SequenceNumbers = SequenceNumbers { initial: 0 };
    const SRTT: Duration = Duration::from_millis(20);

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Ten segments of 1000 octets that were sent a millisecond apart.
    fn ten() -> SentSegments {
        let mut sent = SentSegments::new();
        (0..10).for_each(|number| sent.on_transmission(at(number), 1 + 1000 * number, 1001 + 1000 * number));
        sent
    }

    fn sack(left: u32, right: u32) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        blocks.push(left, right);
        blocks
    }

    #[test]
    fn a_segment_sent_a_quarter_of_the_rtt_before_one_that_arrived_is_lost_when_that_time_is_over() {
        let mut sent = ten();
        // the first segment is missing
        sent.on_ack(at(21), 1, &sack(1001, 2001), SEQUENCE);
        assert_eq!(sent.detect_losses(at(21), SRTT, false), Some(at(25)));
        assert_eq!((sent.pipe(), sent.next_lost()), (9000, None));
        assert_eq!(sent.detect_losses(at(25), SRTT, false), None);
        assert_eq!((sent.pipe(), sent.next_lost()), (8000, Some((1, 1001))));
    }

    #[test]
    fn three_segments_behind_it_show_a_loss_at_once_where_none_was_reordered() {
        let mut sent = ten();
        sent.on_ack(at(23), 1, &sack(1001, 4001), SEQUENCE);
        assert_eq!(sent.detect_losses(at(23), SRTT, false), None);
        assert_eq!(sent.next_lost(), Some((1, 1001)));
    }

    #[test]
    fn a_lost_retransmission_is_detected_by_what_was_sent_after_it() {
        let mut sent = ten();
        sent.on_ack(at(23), 1, &sack(1001, 4001), SEQUENCE);
        sent.detect_losses(at(23), SRTT, false);
        sent.on_transmission(at(23), 1, 1001);
        sent.on_transmission(at(24), 10_001, 11_001);
        assert_eq!(sent.next_lost(), None);
        sent.on_ack(at(44), 1, &sack(1001, 11_001), SEQUENCE);
        sent.detect_losses(at(44), SRTT, true);
        assert_eq!(sent.next_lost(), Some((1, 1001)));
    }

    #[test]
    fn too_much_was_in_flight_where_a_fiftieth_of_it_was_lost() {
        let mut sent = SentSegments::new();
        (0..100).for_each(|number| sent.on_transmission(at(0), 1 + 1000 * number, 1001 + 1000 * number));
        // the first three of the hundred are lost
        sent.on_ack(at(20), 1, &sack(3001, 100_001), SEQUENCE);
        sent.detect_losses(at(20), SRTT, false);
        // one of one, that is: the first was alone when it was sent
        assert_eq!(sent.sample().too_many, Some((0, false)));
        // with 200 segments in flight, the fifth loss of these is one too many
        assert_eq!(tolerated(199_000, 4000), 199_000);
        assert_eq!(tolerated(199_000, 3500), 199_000 + (480.0_f64 / 0.98) as u64);
    }

    #[test]
    fn the_rate_is_what_was_delivered_in_the_longer_of_the_times_of_sending_and_of_acknowledgement() {
        let mut sent = SentSegments::new();
        (0..10).for_each(|number| sent.on_transmission(at(0), 1 + 1000 * number, 1001 + 1000 * number));
        for number in 0..10 {
            // a bottleneck of 1000 octets in 2 ms
            let now = at(20 + 2 * number);
            sent.on_ack(now, 1001 + 1000 * number, &SackBlocks::default(), SEQUENCE);
            sent.on_transmission(now, 10_001 + 1000 * number, 11_001 + 1000 * number);
        }
        sent.on_ack(at(40), 11_001, &SackBlocks::default(), SEQUENCE);
        let sample = sent.sample();
        assert_eq!((sample.delivered, sample.rtt), (10_000, Some(SRTT)));
        assert!((sample.rate.unwrap() - 500e3).abs() < 1.0, "{:?}", sample.rate);
    }
}
