//! COBALT: CoDel and BLUE beside each other (Høiland-Jørgensen et al., Piece of CAKE, 2018; tc-cake(8)). CoDel marks,
//! or drops, packets of flows that react; BLUE drops those of flows that do not, once the queue has been full.

use sojourn_core::{Duration, Stream, Time};

use super::super::super::packet::Packet;

/// By how much BLUE's probability rises when the queue is full, and falls when it is empty (sch_cake).
const RISE: f64 = 1.0 / 256.0;
const FALL: f64 = 1.0 / 4096.0;
/// A wait is never too long while no more than this many of the longest packets pass in it (sch_cake).
const SHORT: u64 = 4;

/// What all queues of a tin have in common.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    target: Duration,
    interval: Duration,
    /// How long the longest packet takes at the tin's rate.
    longest: Duration,
}

impl Parameters {
    /// Those of a tin with this rate: at a low one the target leaves room for a packet and a half.
    pub fn new(target: Duration, interval: Duration, rate: Option<u64>, longest: u32) -> Self {
        let longest = rate.map_or(Duration::ZERO, |rate| Duration::from_units(8 * u64::from(longest), rate));
        let adjusted = longest.times(3).divided(2).max(target);
        Parameters { target: adjusted, interval: (interval + adjusted - target).max(adjusted.times(2)), longest }
    }
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cobalt {
    /// Packets that CoDel has dropped or marked, less those by which it has calmed down since.
    count: u32,
    dropping: bool,
    drop_next: Time,
    /// BLUE's drop probability, and when it changed last.
    blue: f64,
    blue_at: Time,
}

impl Cobalt {
    /// That of a queue at rest.
    pub const fn new() -> Self {
        Cobalt { count: 0, dropping: false, drop_next: Time::ZERO, blue: 0.0, blue_at: Time::ZERO }
    }

    /// Whether a packet that leaves the queue is dropped; it may be marked.
    #[inline]
    pub fn drops(&mut self, now: Time, parameters: &Parameters, packet: &mut Packet, draws: &mut Stream) -> bool {
        let wait = now.since(packet.queued);
        let is_long = wait > parameters.target && wait > parameters.longest.times(SHORT);
        let mut late = now > self.drop_next;
        let mut due = self.count > 0 && now >= self.drop_next;
        if is_long && !self.dropping {
            self.drop_next = now + self.spacing(parameters);
        }
        self.dropping = is_long;
        self.count = self.count.max(u32::from(is_long));
        let mut drops = false;
        if due && self.dropping {
            drops = !packet.mark();
            self.count = self.count.saturating_add(1);
            self.drop_next += self.spacing(parameters);
            late = now > self.drop_next;
        }
        // without a long wait it calms down at the pace at which it would have dropped
        due &= !self.dropping;
        while due {
            self.count -= 1;
            self.drop_next += self.spacing(parameters);
            late = now > self.drop_next;
            due = self.count > 0 && now >= self.drop_next;
        }
        // BLUE does not mark: who is meant does not react
        drops |= self.blue > 0.0 && draws.unit() < self.blue;
        if self.count == 0 {
            self.drop_next = now + parameters.interval;
        } else if late && !drops {
            self.drop_next = now;
        }
        drops
    }

    /// A packet of the queue was dropped because there was no room.
    pub fn overflows(&mut self, now: Time, parameters: &Parameters) {
        if now.since(self.blue_at) > parameters.target {
            self.blue = (self.blue + RISE).min(1.0);
            self.blue_at = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// It was the queue's turn, and no packet was there.
    pub fn is_empty(&mut self, now: Time, parameters: &Parameters) {
        if self.blue > 0.0 && now.since(self.blue_at) > parameters.target {
            self.blue = (self.blue - FALL).max(0.0);
            self.blue_at = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next += self.spacing(parameters);
        }
    }

    /// Whether nothing is left of what it has seen.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.blue == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// interval / sqrt(count). Linux omits the first interval of each fresh queue, whose root it has not computed; as its comments
    /// have it, here it does not.
    fn spacing(&self, parameters: &Parameters) -> Duration {
        let picoseconds = parameters.interval.picoseconds() as f64 / f64::from(self.count.max(1)).sqrt();
        Duration::from_picoseconds(picoseconds as u64)
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;
    use sojourn_protocols::ip::Ecn;

    use super::*;
    use crate::frame::Frame;
    use sojourn_model::slab::NONE;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn parameters() -> Parameters {
        Parameters::new(Duration::from_millis(5), Duration::from_millis(100), Some(100_000_000), 1514)
    }

    /// What becomes of a packet each millisecond from 0 that has waited so long: whether it is dropped and marked.
    fn outcomes(cobalt: &mut Cobalt, ecn: Ecn, wait: u64, until: u64) -> Vec<(u64, bool, bool)> {
        let mut draws = Streams::new(1, 0).stream("blue");
        let mut outcomes = Vec::new();
        for at in 100..until {
            let frame = Frame { packet: 0, octets: 1500, connection: 0, ecn };
            let mut packet = Packet::new(frame, 1500, NONE, 0);
            packet.queued = ms(at - wait);
            let drops = cobalt.drops(ms(at), &parameters(), &mut packet, &mut draws);
            outcomes.push((at, drops, packet.marked));
        }
        outcomes
    }

    #[test]
    fn waits_above_the_target_are_signalled_at_the_interval_over_roots_by_marks_where_they_are_understood() {
        let mut cobalt = Cobalt { drop_next: ms(200), ..Cobalt::new() };
        let signalled: Vec<_> =
            outcomes(&mut cobalt, Ecn::Ect0, 20, 500).into_iter().filter(|outcome| outcome.1 || outcome.2).collect();
        // from 100 ms on; at 200 ms the first, then 100 ms / sqrt(2), / sqrt(3) and so on: 270.7, 328.4, 378.4 ms
        assert_eq!(signalled[..4], [(200, false, true), (271, false, true), (329, false, true), (379, false, true)]);
        let mut cobalt = Cobalt { drop_next: ms(200), ..Cobalt::new() };
        let signalled: Vec<_> =
            outcomes(&mut cobalt, Ecn::NotEct, 20, 300).into_iter().filter(|outcome| outcome.1).collect();
        assert_eq!(signalled, [(200, true, false), (271, true, false)]);
    }

    #[test]
    fn waits_below_the_target_or_of_four_packets_are_not_too_long() {
        assert!(outcomes(&mut Cobalt::new(), Ecn::Ect0, 5, 2000).iter().all(|outcome| !outcome.1 && !outcome.2));
        // at 1 Mbit/s a packet of 1514 octets takes 12.1 ms: the target is a packet and a half of that
        let slow = Parameters::new(Duration::from_millis(5), Duration::from_millis(100), Some(1_000_000), 1514);
        assert_eq!(slow.target, Duration::from_micros(18_168));
        assert_eq!(slow.interval, Duration::from_micros(113_168));
        assert_eq!(parameters().target, Duration::from_millis(5));
    }

    #[test]
    fn blue_drops_even_what_could_be_marked_and_forgets_sixteen_times_as_slowly() {
        let mut cobalt = Cobalt::new();
        for step in 1..=100 {
            cobalt.overflows(ms(6 * step), &parameters());
            cobalt.overflows(ms(6 * step), &parameters());
        }
        assert!((cobalt.blue - 100.0 / 256.0).abs() < 1e-12, "once in a target: {}", cobalt.blue);
        let mut blue = Cobalt { blue: 0.25, blue_at: ms(0), ..Cobalt::new() };
        let drops = outcomes(&mut blue, Ecn::Ect0, 0, 10_100).iter().filter(|outcome| outcome.1).count();
        assert!((drops as f64 / 10_000.0 - 0.25).abs() < 0.015, "{drops}");
        (1..=16).for_each(|step| cobalt.is_empty(ms(1000 + 6 * step), &parameters()));
        assert!((cobalt.blue - 99.0 / 256.0).abs() < 1e-12, "{}", cobalt.blue);
    }

    #[test]
    fn it_calms_down_by_one_signal_for_each_that_would_have_been_due() {
        let mut cobalt = Cobalt { count: 4, drop_next: ms(100), ..Cobalt::new() };
        let mut draws = Streams::new(1, 0).stream("blue");
        let mut packet = Packet::new(Frame { packet: 0, octets: 1500, connection: 0, ecn: Ecn::Ect0 }, 1500, NONE, 0);
        packet.queued = ms(200);
        // at 100 ms one less, 100 ms / sqrt(3) later another: 157.7 ms, and 228.4 ms is not yet due
        assert!(!cobalt.drops(ms(200), &parameters(), &mut packet, &mut draws));
        assert_eq!(cobalt.count, 2);
        assert!(!cobalt.is_at_rest(ms(200)));
    }
}
