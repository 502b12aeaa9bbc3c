//! One direction of the emulated path: the verdict on each packet, decided when it arrives.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Streams, Time};

use super::impairment::Impairment;
use super::rate_limiter::SharedRateLimiter;

/// The verdict on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is dropped, by chance, a full queue or an outage.
    Drop,
    /// It is delivered at this time.
    Deliver(Time),
    /// It is delivered twice at this time.
    DeliverTwice(Time),
}

/// Counts of packets by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that arrived at the link.
    pub offered: u64,
    /// Octets of user data in them.
    pub octets: u64,
    /// Packets lost at random (`loss`).
    pub lost: u64,
    /// Dropped because the queue, or the relay itself, was full.
    pub queue_drops: u64,
    /// Dropped during the outage.
    pub outage_drops: u64,
    /// Packets delivered twice (`duplication`).
    pub duplicated: u64,
    /// Delayed so that later packets overtook them.
    pub reordered: u64,
}

/// One direction of an emulated link.
#[derive(Debug)]
pub struct EmulatedLink {
    impairment: Impairment,
    /// Each impairment draws from a stream of its own, once a packet, so that changing one leaves the others' draws alone.
    loss: Stream,
    duplication: Stream,
    reordering: Stream,
    jitter: Stream,
    limiter: Arc<SharedRateLimiter>,
    /// Delivery time of the last packet in order.
    last_arrival: Time,
    counts: Counts,
}

impl EmulatedLink {
    /// A link that draws from the streams `<name>/loss`, `<name>/duplication`, ...
    pub fn new(impairment: Impairment, streams: &Streams, name: &str) -> EmulatedLink {
        let stream = |impairment: &str| streams.stream(&format!("{name}/{impairment}"));
        EmulatedLink {
            impairment,
            loss: stream("loss"),
            duplication: stream("duplication"),
            reordering: stream("reordering"),
            jitter: stream("jitter"),
            limiter: Arc::default(),
            last_arrival: Time::ZERO,
            counts: Counts::default(),
        }
    }

    /// The same behind a rate limiter shared with others, by the same clock.
    pub fn over(self, limiter: Arc<SharedRateLimiter>) -> EmulatedLink {
        EmulatedLink { limiter, ..self }
    }

    /// Counts of packets so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Decides on a packet that arrives now.
    pub fn offer(&mut self, now: Time, octets: usize) -> Verdict {
        self.count(octets);
        let link = *self.impairment.at(now);
        let lost = self.loss.unit() < link.loss;
        let twice = self.duplication.unit() < self.impairment.duplication;
        let reordered = self.reordering.unit() < self.impairment.reordering;
        let jitter = self.draw_jitter(link.jitter);
        if !link.is_up {
            self.counts.outage_drops += 1;
            return Verdict::Drop;
        }
        let Some(sent) = self.transmit(now, octets as u64, Some(self.impairment.queue)) else {
            self.counts.queue_drops += 1;
            return Verdict::Drop;
        };
        if self.impairment.is_cut_within(now, sent) {
            self.counts.outage_drops += 1;
            return Verdict::Drop;
        }
        if lost {
            self.counts.lost += 1;
            return Verdict::Drop;
        }
        self.counts.duplicated += u64::from(twice);
        let arrival = self.in_order(sent + self.impairment.at(sent).delay + jitter, reordered);
        if twice { Verdict::DeliverTwice(arrival) } else { Verdict::Deliver(arrival) }
    }

    /// Delivery time of bytes of a stream, which queue without limit, wait for the end of an outage, and stay in order.
    pub fn carry(&mut self, now: Time, octets: usize) -> Time {
        self.count(octets);
        let jitter = self.draw_jitter(self.impairment.at(now).jitter);
        let sent = self.transmit(now, octets as u64, None).expect("a stream has no queue limit");
        let sent = self.impairment.up_from(sent);
        if sent == Time::NEVER {
            return sent;
        }
        self.in_order(sent + self.impairment.at(sent).delay + jitter, false)
    }

    /// Drops a packet for which the relay has no room.
    pub fn overflow(&mut self, octets: usize) {
        self.count(octets);
        self.counts.queue_drops += 1;
    }

    /// Octets that a stream may add to the queue now: none until half of it is free, then up to the queue limit; none in an
    /// outage.
    pub fn room(&self, now: Time) -> usize {
        if self.has_room_at(now) > now {
            return 0;
        }
        if !self.impairment.is_limited(now) {
            return usize::MAX;
        }
        self.impairment.queue.saturating_sub(self.limiter.waiting(now, &self.impairment)) as usize
    }

    /// When half of the queue will be free, and the link up.
    pub fn has_room_at(&self, now: Time) -> Time {
        self.impairment.up_from(now).max(self.limiter.half_free_at(now, &self.impairment))
    }

    fn count(&mut self, octets: usize) {
        self.counts.offered += 1;
        self.counts.octets += octets as u64;
    }

    fn draw_jitter(&mut self, most: Duration) -> Duration {
        Duration::from_picoseconds((self.jitter.unit() * most.picoseconds() as f64) as u64)
    }

    /// When its last bit has left; `None` if the queue is full.
    fn transmit(&self, now: Time, octets: u64, queue: Option<u64>) -> Option<Time> {
        match self.impairment.is_limited(now) {
            false => Some(now),
            true => self.limiter.send(now, octets, &self.impairment, queue),
        }
    }

    fn in_order(&mut self, arrival: Time, reordered: bool) -> Time {
        if reordered {
            self.counts.reordered += 1;
            return arrival + self.impairment.reorder_delay;
        }
        self.last_arrival = self.last_arrival.max(arrival);
        self.last_arrival
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::RateTrace;

    use super::super::impairment::Link;
    use super::*;

    fn limited(rate: u64) -> Impairment {
        Link { rate: Some(rate), ..Link::default() }.into()
    }

    fn link(impairment: Impairment) -> EmulatedLink {
        EmulatedLink::new(impairment, &Streams::new(1, 0), "test")
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The verdicts on packets of 100 octets, one a millisecond.
    fn verdicts(impairment: Impairment, packets: u64) -> (Vec<Verdict>, Counts) {
        let mut link = link(impairment);
        let verdicts = (0..packets).map(|number| link.offer(at(number), 100)).collect();
        (verdicts, link.counts())
    }

    #[test]
    fn without_impairments_packets_are_delivered_at_once() {
        let (verdicts, counts) = verdicts(Impairment::default(), 100);
        assert!((0..100).zip(verdicts).all(|(number, verdict)| verdict == Verdict::Deliver(at(number))));
        assert_eq!(counts, Counts { offered: 100, octets: 10_000, ..Counts::default() });
    }

    #[test]
    fn shares_are_met_within_three_standard_errors_and_by_the_same_packets_for_the_same_seed() {
        let lossy = Link { loss: 0.1, ..Link::default() };
        let impairment = || Impairment { duplication: 0.05, reordering: 0.2, ..lossy.into() };
        let (first, counts) = verdicts(impairment(), 20_000);
        assert_eq!(first, verdicts(impairment(), 20_000).0);
        let near = |count: u64, of: f64, share: f64| {
            (count as f64 - of * share).abs() < 3.0 * (of * share * (1.0 - share)).sqrt()
        };
        let passed = (counts.offered - counts.lost) as f64;
        assert!(near(counts.lost, 20_000.0, 0.1), "{counts:?}");
        assert!(near(counts.duplicated, passed, 0.05) && near(counts.reordered, passed, 0.2), "{counts:?}");
    }

    #[test]
    fn another_loss_leaves_the_jitter_of_what_arrives_alone() {
        let arrivals = |loss| {
            let jitter = Duration::from_micros(900);
            verdicts(Link { jitter, loss, ..Link::default() }.into(), 1000).0
        };
        let both = arrivals(0.0).into_iter().zip(arrivals(0.3));
        assert!(both.filter(|(_, lossy)| *lossy != Verdict::Drop).all(|(clean, lossy)| clean == lossy));
    }

    #[test]
    fn jitter_is_spread_over_its_span_and_keeps_packets_in_order() {
        let (delay, jitter) = (Duration::from_millis(5), Duration::from_millis(20));
        let (verdicts, _) = verdicts(Link { delay, jitter, ..Link::default() }.into(), 2000);
        let arrivals: Vec<Time> = verdicts
            .iter()
            .map(|verdict| match verdict {
                Verdict::Deliver(arrival) => *arrival,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(arrivals.windows(2).all(|pair| pair[0] <= pair[1]));
        let late = (0..2000).zip(&arrivals).map(|(number, arrival)| arrival.since(at(number)));
        assert!(late.clone().all(|late| (delay..delay + jitter).contains(&late)));
        assert!(late.max().unwrap() > Duration::from_millis(24));
    }

    #[test]
    fn a_reordered_packet_is_overtaken() {
        let (verdicts, _) = verdicts(Impairment { reordering: 0.1, ..Impairment::default() }, 1000);
        let overtaken = verdicts
            .windows(2)
            .filter(|pair| matches!(pair, [Verdict::Deliver(first), Verdict::Deliver(second)] if first > second));
        assert!(overtaken.count() > 50);
    }

    #[test]
    fn a_rate_limit_serializes_packets_and_drops_what_exceeds_its_queue() {
        // 100 octets at 100 kbit/s take 8 ms; three wait behind the one in transmission
        let mut link = link(Impairment { queue: 400, ..limited(100_000) });
        let verdicts: Vec<Verdict> = (0..6).map(|_| link.offer(at(0), 100)).collect();
        let arrivals = [8, 16, 24, 32].map(|milliseconds| Verdict::Deliver(at(milliseconds)));
        assert_eq!(verdicts[..4], arrivals);
        assert_eq!(verdicts[4..], [Verdict::Drop, Verdict::Drop]);
        assert_eq!(link.offer(at(40), 100), Verdict::Deliver(at(48)));
        assert_eq!(link.counts().queue_drops, 2);
    }

    #[test]
    fn packets_queue_behind_the_bytes_of_streams_that_share_their_rate_limiter() {
        let slow = Impairment { queue: 400, ..limited(100_000) };
        let limiter = Arc::new(SharedRateLimiter::default());
        let [mut packets, mut stream] = [(); 2].map(|()| link(slow.clone()).over(limiter.clone()));
        // 100 octets at 100 kbit/s take 8 ms
        assert_eq!(stream.carry(at(0), 300), at(24));
        assert_eq!(packets.offer(at(0), 100), Verdict::Deliver(at(32)));
        assert_eq!(packets.offer(at(0), 100), Verdict::Drop, "the queue is full");
        assert_eq!(stream.room(at(0)), 0);
        assert_eq!(stream.has_room_at(at(0)), at(16));
        assert_eq!(stream.room(at(16)), 200);
    }

    #[test]
    fn what_the_link_reports_room_for_is_not_dropped() {
        let mut link = link(Impairment { queue: 10_000, ..limited(1_000_003) });
        for microsecond in (0..1_000_000).step_by(997) {
            let now = Time::ZERO + Duration::from_micros(microsecond);
            let room = link.room(now);
            assert!(room == 0 || link.offer(now, room.min(1460)) != Verdict::Drop, "{room} octets at {microsecond} us");
        }
        assert_eq!(link.counts().queue_drops, 0);
        let now = at(1000);
        assert!(link.room(link.has_room_at(now).max(now)) >= 5000);
    }

    #[test]
    fn no_packet_passes_during_an_outage() {
        let (verdicts, counts) = verdicts(Impairment::default().with_outage(at(10)..at(20)), 30);
        let lost: Vec<usize> = (0..30).filter(|number| verdicts[*number] == Verdict::Drop).collect();
        assert_eq!(lost, (10..20).collect::<Vec<usize>>());
        assert_eq!(counts.outage_drops, 10);
    }

    #[test]
    fn what_is_queued_when_the_link_goes_down_is_lost_and_the_queue_is_empty_afterwards() {
        // 100 octets at 100 kbit/s take 8 ms: the second is being sent when the link goes down at 10 ms
        let mut link = link(limited(100_000).with_outage(at(10)..at(20)));
        let verdicts: Vec<Verdict> = (0..4).map(|_| link.offer(at(0), 100)).collect();
        assert_eq!(verdicts, [Verdict::Deliver(at(8)), Verdict::Drop, Verdict::Drop, Verdict::Drop]);
        assert_eq!(link.offer(at(20), 100), Verdict::Deliver(at(28)));
        assert_eq!(link.counts().outage_drops, 3);
    }

    #[test]
    fn bytes_of_a_stream_wait_for_the_end_of_an_outage() {
        let mut link = link(limited(100_000).with_outage(at(10)..at(20)));
        assert_eq!(link.carry(at(0), 100), at(8));
        assert_eq!(link.carry(at(5), 100), at(20), "in the queue when the link goes down");
        assert_eq!((link.room(at(12)), link.has_room_at(at(12))), (0, at(20)));
    }

    #[test]
    fn packets_that_wait_are_sent_at_the_rate_of_their_turn() {
        let slower = Link { rate: Some(10_000), delay: Duration::from_millis(3), ..Link::default() };
        let mut link = link(Impairment { changes: vec![(at(10), slower)], ..limited(100_000) });
        let verdicts: Vec<Verdict> = (0..3).map(|_| link.offer(at(0), 100)).collect();
        assert_eq!(verdicts, [8, 19, 99].map(|milliseconds| Verdict::Deliver(at(milliseconds))));
    }

    fn traced(rates: &[(u64, u64)], queue: u64) -> Impairment {
        let rates: Vec<(Time, u64)> = rates.iter().map(|(from, rate)| (at(*from), *rate)).collect();
        let trace = RateTrace::of_rates(&rates, None).map(Arc::new);
        Impairment { trace, queue, ..Impairment::default() }
    }

    #[test]
    fn a_packet_that_a_change_of_a_traced_rate_meets_is_sent_at_both_rates() {
        // 100 octets are 800 bits: 8 ms at 100 kbit/s, 80 ms at 10 kbit/s; the second packet has 2 ms of the first rate
        let mut link = link(traced(&[(0, 100_000), (10, 10_000)], 400));
        let verdicts: Vec<Verdict> = (0..6).map(|_| link.offer(at(0), 100)).collect();
        assert_eq!(verdicts[..3], [8, 70, 150].map(|milliseconds| Verdict::Deliver(at(milliseconds))));
        assert_eq!(verdicts[4..], [Verdict::Drop, Verdict::Drop], "400 octets wait");
    }

    #[test]
    fn streams_find_room_behind_a_traced_rate_when_half_of_the_queue_is_sent() {
        let mut link = link(traced(&[(0, 100_000), (10, 10_000)], 400));
        assert_eq!(link.carry(at(0), 300), at(150));
        assert_eq!((link.room(at(0)), link.has_room_at(at(0))), (0, at(8)));
        // 200 octets are left at 8 ms
        assert_eq!(link.room(at(8)), 200);
        assert_eq!(link.room(at(150)), 400);
    }

    #[test]
    fn a_packet_waits_for_the_next_opportunity_of_a_trace() {
        let trace = RateTrace::of_opportunities(vec![at(5), at(20)]).map(Arc::new);
        let mut link = link(Impairment { trace, queue: 10_000, ..Impairment::default() });
        assert_eq!(link.offer(at(0), 1504), Verdict::Deliver(at(5)));
        assert_eq!(link.offer(at(6), 100), Verdict::Deliver(at(20)));
        assert_eq!(link.offer(at(21), 100), Verdict::Deliver(at(25)), "the trace begins again");
    }
}
