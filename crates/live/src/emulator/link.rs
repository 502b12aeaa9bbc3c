//! One direction of an impaired way: what becomes of each packet, decided when it comes.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Stream, Streams, Time};

/// What is wrong with a line. By default nothing is.
#[derive(Clone, Debug, PartialEq)]
pub struct Impairment {
    /// Every packet is at least so late.
    pub delay: Duration,
    /// And later by a span uniform from zero to this; packets keep their order all the same.
    pub jitter: Duration,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// Share of packets that arrive twice, 0 to 1.
    pub duplication: f64,
    /// Share of packets held back, 0 to 1, so that others overtake them.
    pub reordering: f64,
    /// How long those are held back.
    pub hold: Duration,
    /// Bits of user data per second that the line carries.
    pub rate: Option<u64>,
    /// Octets of user data that wait for the line; beyond them a packet is lost.
    pub queue: u64,
    /// While nothing gets through, from when the relay began.
    pub outage: Option<Range<Time>>,
}

impl Default for Impairment {
    fn default() -> Impairment {
        Impairment {
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: 0.0,
            duplication: 0.0,
            reordering: 0.0,
            hold: Duration::from_millis(10),
            rate: None,
            queue: 64_000,
            outage: None,
        }
    }
}

impl Impairment {
    /// What of it a stream of bytes can have: these are late and slow, and only packets are lost, doubled or overtaken.
    pub fn of_bytes(&self) -> Impairment {
        Impairment { loss: 0.0, duplication: 0.0, reordering: 0.0, outage: None, ..self.clone() }
    }
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is lost.
    Lost,
    /// It arrives then.
    Arrives(Time),
    /// It arrives twice then.
    ArrivesTwice(Time),
}

/// What became of all packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that came.
    pub offered: u64,
    /// Octets of user data in them.
    pub octets: u64,
    /// Lost by chance.
    pub lost: u64,
    /// Lost because the queue, or the relay itself, was full.
    pub overflowed: u64,
    /// Lost while nothing got through.
    pub severed: u64,
    /// That arrived twice.
    pub duplicated: u64,
    /// Held back.
    pub held: u64,
}

/// What all of one direction wait for, packets and bytes alike: it sends one after the other.
#[derive(Debug, Default)]
pub struct Trunk {
    /// When it will have sent what waits for it.
    busy_until: Mutex<Time>,
}

impl Trunk {
    fn busy_until(&self) -> Time {
        *self.busy_until.lock().expect("nobody panics while sending")
    }

    /// When the last bit of what takes so long has left, unless it would wait longer than `longest`.
    fn send(&self, now: Time, takes: Duration, longest: Option<Duration>) -> Option<Time> {
        let mut busy_until = self.busy_until.lock().expect("nobody panics while sending");
        let begin = busy_until.max(now);
        // what is being sent waits no more, so an idle line takes any packet
        if begin > now && longest.is_some_and(|longest| begin.since(now) + takes > longest) {
            return None;
        }
        *busy_until = begin + takes;
        Some(*busy_until)
    }
}

/// What some traffic meets on its way in one direction.
#[derive(Debug)]
pub struct Line {
    impairment: Impairment,
    /// Each kind of chance draws from a stream of its own, once a packet, so that none moves another.
    loss: Stream,
    duplication: Stream,
    reordering: Stream,
    jitter: Stream,
    trunk: Arc<Trunk>,
    /// When the last packet in order arrives.
    last_arrival: Time,
    counts: Counts,
}

impl Line {
    /// A line whose chances come from the streams `<name>/loss`, `<name>/duplication`, ...
    pub fn new(impairment: Impairment, streams: &Streams, name: &str) -> Line {
        let stream = |chance: &str| streams.stream(&format!("{name}/{chance}"));
        Line {
            impairment,
            loss: stream("loss"),
            duplication: stream("duplication"),
            reordering: stream("reordering"),
            jitter: stream("jitter"),
            trunk: Arc::default(),
            last_arrival: Time::ZERO,
            counts: Counts::default(),
        }
    }

    /// The same behind a trunk that others send over, too, by the same clock.
    pub fn over(self, trunk: Arc<Trunk>) -> Line {
        Line { trunk, ..self }
    }

    /// What became of all packets so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Decides on a packet that comes now.
    pub fn offer(&mut self, now: Time, octets: usize) -> Fate {
        self.count(octets);
        let lost = self.loss.unit() < self.impairment.loss;
        let twice = self.duplication.unit() < self.impairment.duplication;
        let held = self.reordering.unit() < self.impairment.reordering;
        let jitter = self.draw_jitter();
        if self.impairment.outage.as_ref().is_some_and(|outage| outage.contains(&now)) {
            self.counts.severed += 1;
            return Fate::Lost;
        }
        let Some(sent) = self.transmit(now, octets as u64, Some(self.impairment.queue)) else {
            self.counts.overflowed += 1;
            return Fate::Lost;
        };
        if lost {
            self.counts.lost += 1;
            return Fate::Lost;
        }
        self.counts.duplicated += u64::from(twice);
        let arrival = self.in_order(sent + self.impairment.delay + jitter, held);
        if twice { Fate::ArrivesTwice(arrival) } else { Fate::Arrives(arrival) }
    }

    /// Carries bytes of a stream: they wait, however long, and arrive in their order.
    pub fn carry(&mut self, now: Time, octets: usize) -> Time {
        self.count(octets);
        let jitter = self.draw_jitter();
        let sent = self.transmit(now, octets as u64, None).expect("nothing is too long for a stream");
        self.in_order(sent + self.impairment.delay + jitter, false)
    }

    /// Loses a packet for which whoever drives the line has no room.
    pub fn overflow(&mut self, octets: usize) {
        self.count(octets);
        self.counts.overflowed += 1;
    }

    /// Octets that a stream may add to the queue now: none until half of it is free, then as many as there is room for.
    pub fn room(&self, now: Time) -> usize {
        let Some(rate) = self.impairment.rate else { return usize::MAX };
        if self.half_empty() > now {
            return 0;
        }
        let waiting = u128::from(self.trunk.busy_until().since(now).picoseconds()) * u128::from(rate);
        let waiting = waiting.div_ceil(8 * u128::from(PICOSECONDS_PER_SECOND));
        self.impairment.queue.saturating_sub(waiting as u64) as usize
    }

    /// When half of the queue is free, if it is not.
    pub fn half_empty(&self) -> Time {
        let Some(rate) = self.impairment.rate else { return Time::ZERO };
        let half = Duration::from_units(4 * self.impairment.queue, rate);
        Time::ZERO + self.trunk.busy_until().since(Time::ZERO + half)
    }

    fn count(&mut self, octets: usize) {
        self.counts.offered += 1;
        self.counts.octets += octets as u64;
    }

    fn draw_jitter(&mut self) -> Duration {
        Duration::from_picoseconds((self.jitter.unit() * self.impairment.jitter.picoseconds() as f64) as u64)
    }

    /// When its last bit has left, if it finds room in the queue.
    fn transmit(&self, now: Time, octets: u64, queue: Option<u64>) -> Option<Time> {
        let Some(rate) = self.impairment.rate else { return Some(now) };
        let longest = queue.map(|queue| Duration::from_units(8 * queue, rate));
        self.trunk.send(now, Duration::from_units(8 * octets, rate), longest)
    }

    fn in_order(&mut self, arrival: Time, held: bool) -> Time {
        if held {
            self.counts.held += 1;
            return arrival + self.impairment.hold;
        }
        self.last_arrival = self.last_arrival.max(arrival);
        self.last_arrival
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(impairment: Impairment) -> Line {
        Line::new(impairment, &Streams::new(1, 0), "test")
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The fates of packets of 100 octets, one a millisecond.
    fn fates(impairment: Impairment, packets: u64) -> (Vec<Fate>, Counts) {
        let mut line = line(impairment);
        let fates = (0..packets).map(|number| line.offer(at(number), 100)).collect();
        (fates, line.counts())
    }

    #[test]
    fn a_line_with_nothing_wrong_passes_everything_on_at_once() {
        let (fates, counts) = fates(Impairment::default(), 100);
        assert!((0..100).zip(fates).all(|(number, fate)| fate == Fate::Arrives(at(number))));
        assert_eq!(counts, Counts { offered: 100, octets: 10_000, ..Counts::default() });
    }

    #[test]
    fn shares_are_met_within_three_standard_errors_and_by_the_same_packets_for_the_same_seed() {
        let impairment = || Impairment { loss: 0.1, duplication: 0.05, reordering: 0.2, ..Impairment::default() };
        let (first, counts) = fates(impairment(), 20_000);
        assert_eq!(first, fates(impairment(), 20_000).0);
        let near = |count: u64, of: f64, share: f64| {
            (count as f64 - of * share).abs() < 3.0 * (of * share * (1.0 - share)).sqrt()
        };
        let passed = (counts.offered - counts.lost) as f64;
        assert!(near(counts.lost, 20_000.0, 0.1), "{counts:?}");
        assert!(near(counts.duplicated, passed, 0.05) && near(counts.held, passed, 0.2), "{counts:?}");
    }

    #[test]
    fn another_loss_leaves_the_jitter_of_what_arrives_alone() {
        let arrivals = |loss| {
            let jitter = Duration::from_micros(900);
            fates(Impairment { jitter, loss, ..Impairment::default() }, 1000).0
        };
        let both = arrivals(0.0).into_iter().zip(arrivals(0.3));
        assert!(both.filter(|(_, lossy)| *lossy != Fate::Lost).all(|(clean, lossy)| clean == lossy));
    }

    #[test]
    fn jitter_spreads_arrivals_over_its_span_and_keeps_their_order() {
        let (delay, jitter) = (Duration::from_millis(5), Duration::from_millis(20));
        let (fates, _) = fates(Impairment { delay, jitter, ..Impairment::default() }, 2000);
        let arrivals: Vec<Time> = fates
            .iter()
            .map(|fate| match fate {
                Fate::Arrives(arrival) => *arrival,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(arrivals.windows(2).all(|pair| pair[0] <= pair[1]));
        let late = (0..2000).zip(&arrivals).map(|(number, arrival)| arrival.since(at(number)));
        assert!(late.clone().all(|late| (delay..delay + jitter).contains(&late)));
        assert!(late.max().unwrap() > Duration::from_millis(24));
    }

    #[test]
    fn a_packet_held_back_is_overtaken() {
        let (fates, _) = fates(Impairment { reordering: 0.1, ..Impairment::default() }, 1000);
        let overtaken = fates
            .windows(2)
            .filter(|pair| matches!(pair, [Fate::Arrives(first), Fate::Arrives(second)] if first > second));
        assert!(overtaken.count() > 50);
    }

    #[test]
    fn a_slow_line_sends_one_packet_after_the_other_and_loses_what_its_queue_cannot_hold() {
        // 100 octets at 100 kbit/s take 8 ms; three wait beside the one under way
        let mut line = line(Impairment { rate: Some(100_000), queue: 400, ..Impairment::default() });
        let fates: Vec<Fate> = (0..6).map(|_| line.offer(at(0), 100)).collect();
        let arrivals = [8, 16, 24, 32].map(|milliseconds| Fate::Arrives(at(milliseconds)));
        assert_eq!(fates[..4], arrivals);
        assert_eq!(fates[4..], [Fate::Lost, Fate::Lost]);
        assert_eq!(line.offer(at(40), 100), Fate::Arrives(at(48)));
        assert_eq!(line.counts().overflowed, 2);
    }

    #[test]
    fn packets_wait_behind_the_bytes_of_streams_that_share_their_trunk() {
        let slow = Impairment { rate: Some(100_000), queue: 400, ..Impairment::default() };
        let trunk = Arc::new(Trunk::default());
        let [mut packets, mut stream] = [(); 2].map(|()| line(slow.clone()).over(trunk.clone()));
        // 100 octets at 100 kbit/s take 8 ms
        assert_eq!(stream.carry(at(0), 300), at(24));
        assert_eq!(packets.offer(at(0), 100), Fate::Arrives(at(32)));
        assert_eq!(packets.offer(at(0), 100), Fate::Lost, "the queue is full");
        assert_eq!(stream.room(at(0)), 0);
        assert_eq!(stream.half_empty(), at(16));
        assert_eq!(stream.room(at(16)), 200);
    }

    #[test]
    fn what_the_line_says_it_has_room_for_is_not_lost() {
        let mut line = line(Impairment { rate: Some(1_000_003), queue: 10_000, ..Impairment::default() });
        for microsecond in (0..1_000_000).step_by(997) {
            let now = Time::ZERO + Duration::from_micros(microsecond);
            let room = line.room(now);
            assert!(room == 0 || line.offer(now, room.min(1460)) != Fate::Lost, "{room} octets at {microsecond} us");
        }
        assert_eq!(line.counts().overflowed, 0);
        assert!(line.room(line.half_empty()) >= 5000);
    }

    #[test]
    fn nothing_gets_through_while_the_line_is_out() {
        let (fates, counts) = fates(Impairment { outage: Some(at(10)..at(20)), ..Impairment::default() }, 30);
        let lost: Vec<usize> = (0..30).filter(|number| fates[*number] == Fate::Lost).collect();
        assert_eq!(lost, (10..20).collect::<Vec<usize>>());
        assert_eq!(counts.severed, 10);
    }
}
