//! One side of a TCP connection: the data, losses and windows of its transmissions.

use std::collections::VecDeque;

use smallvec::SmallVec;
use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Options;

use super::trips::Trips;
use sojourn_capture::arrivals::Reservoir;
use sojourn_capture::ip::tcp::sequence::{is_before, overlap};

/// Gaps in the sequence numbers that are remembered.
const HOLES: usize = 1024;
/// Packets whose answer is waited for.
const PENDING: usize = 512;
/// Losses whose delay is kept.
const LOSSES: usize = 1024;
/// Octets whose acknowledgement makes one sample of the rate of delivery: 32 full segments.
const DELIVERED: u32 = 32 * 1460;
/// Octets from which the time between two acknowledgements is that of data, not of the end of a message.
const LONG: u32 = 1000;
/// Values kept of the rate of delivery.
const SAMPLE: usize = 1024;
/// Octets of a segment where no option states them.
pub(super) const USUAL_SEGMENT: u32 = 1460;

/// What was seen of a side.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Octets of user data, and segments of them, without those sent again.
    pub octets: u64,
    pub segments: u64,
    /// Segments sent again that were lost before the point of capture, and others sent again.
    pub lost_before: u64,
    pub lost_after: u64,
    /// First and last data.
    pub first: Option<Time>,
    pub last: Option<Time>,
    /// Options of its SYN.
    pub syn: Option<Options>,
    /// The largest window that it announced, octets.
    pub window: u64,
    /// Most octets that were sent and not acknowledged.
    pub in_flight: u64,
    /// From a packet to this side until what it sends upon it.
    pub trips: Trips,
    /// At each loss before the point of capture, and behind it, the last time to this side and to the other one, s.
    pub at_loss: [Vec<(f64, f64)>; 2],
    /// Rates at which its data were acknowledged, bit/s of user data.
    pub delivery: Reservoir,
    /// From an acknowledgement to the next one while data were in flight, for each octet that it acknowledged, s.
    pub acknowledged_every: Reservoir,
    last_acknowledged: Option<Time>,
    next: Option<u32>,
    acknowledged: Option<u32>,
    holes: SmallVec<[Hole; 2]>,
    /// Packets of this side that the other one has not reacted to: what it will name, when, octets of IP.
    pending: VecDeque<(u32, Time, u32)>,
    named: Option<u32>,
    delivered_since: Option<(u32, Time)>,
}

impl Default for Side {
    fn default() -> Self {
        Side {
            octets: 0,
            segments: 0,
            lost_before: 0,
            lost_after: 0,
            first: None,
            last: None,
            syn: None,
            window: 0,
            in_flight: 0,
            trips: Trips::default(),
            at_loss: Default::default(),
            delivery: Reservoir::new(SAMPLE),
            acknowledged_every: Reservoir::new(SAMPLE),
            last_acknowledged: None,
            next: None,
            acknowledged: None,
            holes: SmallVec::new(),
            pending: VecDeque::new(),
            named: None,
            delivered_since: None,
        }
    }
}

/// Sequence numbers that were passed over.
#[derive(Clone, Copy, Debug)]
struct Hole {
    range: (u32, u32),
    noticed: Time,
}

/// Whether a segment was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    New,
    Again,
}

impl Side {
    /// From its first data to its last, s.
    pub fn seconds(&self) -> f64 {
        self.first.zip(self.last).map_or(0.0, |(first, last)| last.since(first).seconds())
    }

    /// It sends the sequence numbers `range`, `octets` of them user data, in segments of `segment` octets at most.
    /// `other` is the last time to the other side and back, s.
    pub fn send(&mut self, range: (u32, u32), octets: u32, segment: u32, now: Time, other: Option<f64>) -> Sent {
        let (begin, end) = range;
        let count = |octets: u32| u64::from(octets.div_ceil(segment.max(1)));
        let next = *self.next.get_or_insert(begin);
        if is_before(begin, next) {
            if is_before(next, end) {
                self.next = Some(end);
            }
            self.send_again(range, count(octets), now, other);
            return Sent::Again;
        }
        if begin != next && self.holes.len() < HOLES {
            self.holes.push(Hole { range: (next, begin), noticed: now });
            self.lost_before += count(begin.wrapping_sub(next));
            self.lost(0, other);
        }
        self.next = Some(end);
        self.octets += u64::from(octets);
        self.segments += count(octets);
        if octets > 0 {
            self.first.get_or_insert(now);
            self.last = Some(now);
        }
        if let Some(acknowledged) = self.acknowledged.filter(|acknowledged| is_before(*acknowledged, end)) {
            self.in_flight = self.in_flight.max(u64::from(end.wrapping_sub(acknowledged)));
        }
        Sent::New
    }

    /// The other side acknowledges everything before `ack`.
    pub fn acknowledge(&mut self, ack: u32, now: Time) {
        let before = *self.acknowledged.get_or_insert(ack);
        if !is_before(before, ack) {
            return;
        }
        // data that arrived and was not captured was not lost
        if self.next.is_some_and(|next| is_before(next, ack)) {
            self.next = Some(ack);
        }
        self.acknowledged = Some(ack);
        let octets = ack.wrapping_sub(before);
        if let Some(last) = self.last_acknowledged.replace(now).filter(|_| octets >= LONG) {
            self.acknowledged_every.push(now.since(last).seconds() / f64::from(octets));
        }
        self.holes.retain(|hole| is_before(ack, hole.range.1));
        match self.delivered_since {
            Some((since, began)) if ack.wrapping_sub(since) >= DELIVERED => {
                let seconds = now.since(began).seconds();
                if seconds > 0.0 {
                    self.delivery.push(8.0 * f64::from(ack.wrapping_sub(since)) / seconds);
                }
                self.delivered_since = Some((ack, now));
            }
            Some(_) => {}
            None => self.delivered_since = Some((ack, now)),
        }
        // nothing is in flight: what follows waits for the program, not for the network
        if self.next == Some(ack) {
            self.delivered_since = None;
            self.last_acknowledged = None;
        }
    }

    /// It sends a packet that the other side will react to by naming `token`.
    pub fn await_reaction(&mut self, token: u32, now: Time, l3_bytes: u32) {
        // the first packet of several with one timestamp is the one that is named
        if self.named == Some(token) {
            return;
        }
        self.named = Some(token);
        if self.pending.len() >= PENDING {
            self.pending.pop_front();
        }
        self.pending.push_back((token, now, l3_bytes));
    }

    /// The other side names `token`: when the packet was sent, and its octets of IP.
    pub fn reaction(&mut self, token: u32) -> Option<(Time, u32)> {
        while self.pending.front().is_some_and(|first| is_before(first.0, token)) {
            self.pending.pop_front();
        }
        let found = self.pending.front().filter(|first| first.0 == token)?;
        let found = (found.1, found.2);
        self.pending.pop_front();
        Some(found)
    }

    /// Forgets what it waits for: something was sent again, and an acknowledgement may be of either (Karn's algorithm).
    pub fn forget_reactions(&mut self) {
        self.pending.clear();
    }

    fn send_again(&mut self, range: (u32, u32), segments: u64, now: Time, other: Option<f64>) {
        if let Some(place) = self.holes.iter().position(|hole| overlap(hole.range, range)) {
            let hole = self.holes.swap_remove(place);
            // sooner than any retransmission can come: it was overtaken
            if now.since(hole.noticed).seconds() < 0.5 * self.trips.least() {
                self.lost_before = self.lost_before.saturating_sub(segments);
                self.at_loss[0].pop();
            }
            let rest = [(hole.range.0, range.0), (range.1, hole.range.1)];
            let left = rest.into_iter().filter(|(begin, end)| is_before(*begin, *end));
            self.holes.extend(left.map(|range| Hole { range, ..hole }));
        } else if segments > 0 && self.acknowledged.is_none_or(|acknowledged| is_before(acknowledged, range.1)) {
            self.lost_after += segments;
            self.lost(1, other);
        }
    }

    fn lost(&mut self, behind: usize, other: Option<f64>) {
        if self.at_loss[behind].len() < LOSSES
            && let (Some(own), Some(other)) = (self.trips.latest, other.or(self.trips.latest))
        {
            self.at_loss[behind].push((own, other));
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_gap_is_a_loss_before_the_point_of_capture_and_a_second_copy_one_behind_it() {
        let mut side = Side::default();
        side.trips.push(0.01, 60, 60, Time::ZERO);
        let mut send = |begin: u32, time| side.send((begin, begin + 100), 100, 100, at(time), None);
        assert_eq!(
            [send(0, 0), send(200, 1), send(100, 50), send(300, 51), send(300, 300)].map(|sent| sent == Sent::New),
            [true, true, false, true, false]
        );
        assert_eq!((side.lost_before, side.lost_after, side.segments), (1, 1, 3));
    }

    #[test]
    fn hundreds_of_gaps_at_once_are_losses_before_the_point_of_capture() {
        let mut side = Side::default();
        side.trips.push(0.01, 60, 60, Time::ZERO);
        let mut send = |number: u32, time| side.send((100 * number, 100 * number + 100), 100, 100, at(time), None);
        (0..500).for_each(|number| assert_eq!(send(2 * number, number.into()), Sent::New));
        (0..499).for_each(|number| assert_eq!(send(2 * number + 1, 1000 + u64::from(number)), Sent::Again));
        assert_eq!((side.lost_before, side.lost_after), (499, 0));
    }

    #[test]
    fn a_gap_that_is_filled_at_once_was_reordering() {
        let mut side = Side::default();
        side.trips.push(0.01, 60, 60, Time::ZERO);
        side.send((0, 100), 100, 100, at(0), None);
        side.send((200, 300), 100, 100, at(1), None);
        side.send((100, 200), 100, 100, at(2), None);
        assert_eq!((side.lost_before, side.lost_after, side.at_loss[0].len()), (0, 0, 0));
    }

    #[test]
    fn the_rate_of_delivery_is_that_of_acknowledgements_while_data_are_in_flight() {
        let mut side = Side::default();
        side.send((0, 100_000), 100_000, 1460, at(0), None);
        side.acknowledge(0, at(5));
        side.acknowledge(1_460, at(10));
        side.acknowledge(51_460, at(20));
        assert_eq!(side.delivery.values(), [8.0 * 50_000.0 / 0.01]);
    }
}
