//! The impairments of one direction, and how its link changes over time.

use std::ops::Range;
use std::sync::Arc;

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, RateTrace, Time};

/// Octets of user data in a TCP segment on a link with an MTU of 1500 octets, with the timestamps option.
const SEGMENT: u64 = 1448;

/// The impairments of one direction, none by default.
#[derive(Clone, Debug, PartialEq)]
pub struct Impairment {
    /// The link at the start of the relay.
    pub link: Link,
    /// The link from each of these times on, ascending.
    pub changes: Vec<(Time, Link)>,
    /// The rate over time, in place of that of the links.
    pub trace: Option<Arc<RateTrace>>,
    /// Share of packets duplicated, 0 to 1.
    pub duplication: f64,
    /// Share of packets reordered, 0 to 1: delayed further, so that later ones overtake them.
    pub reordering: f64,
    /// Extra delay of reordered packets.
    pub reorder_delay: Duration,
    /// Queue limit in octets; tail drop beyond it.
    pub queue: u64,
    /// Octets of headers and framing that a packet takes on the link, and in its queue, beside its user data.
    pub overhead: u64,
}

/// A link while nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Whether it carries anything. When it goes down, what is queued before it or being sent is lost.
    pub is_up: bool,
    /// One-way delay of every packet.
    pub delay: Duration,
    /// Jitter added to it, uniform from zero to this; packets stay in order.
    pub jitter: Duration,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// Bits per second, for packets whose turn comes from then on.
    pub rate: Option<u64>,
}

impl Default for Link {
    fn default() -> Link {
        Link { is_up: true, delay: Duration::ZERO, jitter: Duration::ZERO, loss: 0.0, rate: None }
    }
}

impl Default for Impairment {
    fn default() -> Impairment {
        Impairment {
            link: Link::default(),
            changes: Vec::new(),
            trace: None,
            duplication: 0.0,
            reordering: 0.0,
            reorder_delay: Duration::from_millis(10),
            queue: 64_000,
            overhead: 0,
        }
    }
}

impl From<Link> for Impairment {
    fn from(link: Link) -> Impairment {
        Impairment { link, ..Impairment::default() }
    }
}

impl Impairment {
    /// The same, with a link that is down in an interval.
    #[must_use]
    pub fn with_outage(mut self, outage: Range<Time>) -> Impairment {
        self.changes = vec![(outage.start, Link { is_up: false, ..self.link }), (outage.end, self.link)];
        self
    }

    /// The same, with a link whose delay increases at a time.
    #[must_use]
    pub fn with_delay_step(mut self, at: Time, more: Duration) -> Impairment {
        self.changes = vec![(at, Link { delay: self.link.delay + more, ..self.link })];
        self
    }

    /// The impairments that apply to a byte stream: delay, rate and outages. Only packets are lost, duplicated or reordered.
    pub fn of_bytes(&self) -> Impairment {
        let without_loss = |link: Link| Link { loss: 0.0, ..link };
        let changes = self.changes.iter().map(|(at, link)| (*at, without_loss(*link))).collect();
        Impairment { link: without_loss(self.link), changes, duplication: 0.0, reordering: 0.0, ..self.clone() }
    }

    /// The link at a time.
    pub fn at(&self, now: Time) -> &Link {
        self.number(now).checked_sub(1).map_or(&self.link, |last| &self.changes[last].1)
    }

    /// When the link is up, from `now` on; never if it stays down.
    pub fn up_from(&self, now: Time) -> Time {
        if self.at(now).is_up {
            return now;
        }
        let later = &self.changes[self.number(now)..];
        later.iter().find(|(_, link)| link.is_up).map_or(Time::NEVER, |(at, _)| *at)
    }

    /// When the link last went down, up to `now`.
    pub fn last_cut(&self, now: Time) -> Option<Time> {
        let before = &self.changes[..self.number(now)];
        before.iter().rev().find(|(_, link)| !link.is_up).map(|(at, _)| *at)
    }

    /// Whether the link is down at some time from `from` to `to`.
    pub fn is_cut_within(&self, from: Time, to: Time) -> bool {
        let until = self.number(to);
        !self.at(from).is_up || self.changes[self.number(from)..until].iter().any(|(_, link)| !link.is_up)
    }

    /// Whether packets take time on the link.
    pub fn is_limited(&self, now: Time) -> bool {
        self.trace.is_some() || self.at(now).rate.is_some()
    }

    /// The time that a packet, or the segments of a chunk of a stream, take from `begin` on.
    pub fn transmission(&self, begin: Time, octets: u64) -> Duration {
        let rate = self.at(begin).rate;
        rate.map_or(Duration::ZERO, |rate| Duration::from_units(8 * self.on_link(octets), rate))
    }

    /// The octets on the link of a packet, or of a stream's segments.
    pub fn on_link(&self, octets: u64) -> u64 {
        octets + self.overhead * octets.div_ceil(SEGMENT)
    }

    /// The octets that the link sends from one time to another, rounded up.
    pub fn octets_between(&self, from: Time, to: Time) -> u64 {
        let mut bits = 0;
        let mut begin = from;
        while begin < to {
            let end = self.changes.get(self.number(begin)).map_or(to, |(at, _)| to.min(*at));
            let rate = u128::from(self.at(begin).rate.unwrap_or(0));
            bits += u128::from(end.since(begin).picoseconds()) * rate;
            begin = end;
        }
        bits.div_ceil(8 * u128::from(PICOSECONDS_PER_SECOND)) as u64
    }

    /// How many of the changes have happened.
    fn number(&self, now: Time) -> usize {
        self.changes.partition_point(|(at, _)| *at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn a_link_is_down_from_the_begin_of_an_outage_until_its_end() {
        let link = Impairment::default().with_outage(at(10)..at(15));
        assert_eq!([9, 10, 14, 15].map(|second| link.at(at(second)).is_up), [true, false, false, true]);
        assert_eq!([9, 12, 15].map(|second| link.up_from(at(second))), [9, 15, 15].map(at));
        assert_eq!([9, 10, 20].map(|second| link.last_cut(at(second))), [None, Some(at(10)), Some(at(10))]);
        assert!(link.is_cut_within(at(9), at(10)) && link.is_cut_within(at(14), at(20)));
        assert!(!link.is_cut_within(at(0), at(9)) && !link.is_cut_within(at(15), at(20)));
    }

    #[test]
    fn a_link_that_stays_down_is_never_up_again() {
        let changes = vec![(at(3), Link { is_up: false, ..Link::default() })];
        let link = Impairment { changes, ..Impairment::default() };
        assert_eq!(link.up_from(at(4)), Time::NEVER);
    }

    #[test]
    fn what_a_link_sends_is_the_sum_over_its_rates() {
        let with = |rate| Link { rate: Some(rate), ..Link::default() };
        let link = Impairment { changes: vec![(at(10), with(8_000))], ..Impairment::from(with(80_000)) };
        assert_eq!(link.octets_between(at(9), at(12)), 10_000 + 2 * 1000);
        assert_eq!(link.transmission(at(9), 1000), Duration::from_millis(100));
        assert_eq!(link.transmission(at(10), 1000), Duration::from_secs(1));
    }

    #[test]
    fn headers_count_for_each_segment_of_a_stream() {
        let link = Impairment { overhead: 40, ..Impairment::default() };
        assert_eq!([100, 1448, 1449].map(|octets| link.on_link(octets)), [140, 1488, 1529]);
    }
}
