//! The slowest transactions, those that were lost and those that were sent again, each with its frames and what happened
//! between.
//!
//! Events are those of the flow, in the last packets: of a request that was open for longer, what was forgotten is not known.
//! Several connections between the same two hosts to one service are one flow.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use crate::{FlowId, Flows, Outcome, Sent, Transaction};

/// Packets that are remembered, and transactions and closed windows.
const PACKETS: usize = 262_144;
const ENDED: usize = 65_536;
const WINDOWS: usize = 4_096;

/// A transaction that is worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notable {
    /// The transaction.
    pub transaction: Transaction,
    /// What happened between them.
    pub between: Between,
}

/// What happened between a request and its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Between {
    /// Packets of the flow that were sent again.
    pub retransmissions: u64,
    /// How long windows of zero held the flow up.
    pub zero_window: Duration,
    /// Requests to the same service of the same host that were asked before and answered in the meantime.
    pub others: u64,
    /// When the other side was first heard, if before the answer: it had received the request, and was slow to answer.
    pub heard: Option<Duration>,
}

/// A packet that is remembered.
#[derive(Clone, Copy, Debug)]
struct Seen {
    time: Time,
    number: u64,
    flow: FlowId,
    forward: bool,
    repeated: bool,
}

/// Keeps them.
#[derive(Debug)]
pub struct Slowest {
    limit: usize,
    seen: VecDeque<Seen>,
    /// When requests of a flow began and were answered.
    ended: VecDeque<(FlowId, Time, Time)>,
    /// When a window of a flow was opened, and how long it was closed.
    windows: VecDeque<(FlowId, Time, Duration)>,
    slow: Vec<Notable>,
    lost: Vec<Notable>,
    retried: Vec<Notable>,
}

impl Slowest {
    /// Keeps `limit` of each kind.
    pub fn new(limit: usize) -> Slowest {
        let (seen, ended, windows) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Slowest { limit, seen, ended, windows, slow: Vec::new(), lost: Vec::new(), retried: Vec::new() }
    }

    /// The slowest that were answered, the slowest first.
    pub fn slow(&self) -> &[Notable] {
        &self.slow
    }

    /// The first that were not answered or refused.
    pub fn lost(&self) -> &[Notable] {
        &self.lost
    }

    /// Those that were sent again most often, the slowest of them first.
    pub fn retried(&self) -> &[Notable] {
        &self.retried
    }

    /// A packet was sent.
    pub(crate) fn sent(&mut self, sent: &Sent, number: u64) {
        let Sent { flow, time, forward, repeated, .. } = *sent;
        push(&mut self.seen, Seen { time, number, flow, forward, repeated }, PACKETS);
    }

    /// A window of zero has opened.
    pub(crate) fn window(&mut self, flow: FlowId, opened: Time, closed: Duration) {
        push(&mut self.windows, (flow, opened, closed), WINDOWS);
    }

    /// A transaction has ended; the packet with this stamp is being taken.
    pub(crate) fn transaction(&mut self, transaction: &Transaction, flows: &Flows, now: Time) {
        let Slowest { limit, .. } = *self;
        let is_slow = transaction.outcome == Outcome::Answered;
        let slower = |known: &Transaction| time(known) >= time(transaction);
        if is_slow && let Some(place) = place(&self.slow, limit, slower) {
            let found = self.notable(transaction, flows, now);
            insert(&mut self.slow, place, found, limit);
        }
        let is_lost = matches!(transaction.outcome, Outcome::Unanswered | Outcome::Refused);
        if is_lost && let Some(place) = place_of_begin(&self.lost, limit, transaction) {
            let found = self.notable(transaction, flows, now);
            insert(&mut self.lost, place, found, limit);
        }
        let rank = |of: &Transaction| (of.retries(), time(of));
        let more = |known: &Transaction| rank(known) >= rank(transaction);
        if transaction.retries() > 0
            && let Some(place) = place(&self.retried, limit, more)
        {
            let found = self.notable(transaction, flows, now);
            insert(&mut self.retried, place, found, limit);
        }
        if let (Outcome::Answered, Some(end)) = (transaction.outcome, transaction.end) {
            push(&mut self.ended, (transaction.flow, transaction.begin, end), ENDED);
        }
    }

    /// What happened between the packets of a transaction. Where the server of a connection asks, its packets are those of the
    /// connection's flow, in the other direction.
    fn notable(&self, transaction: &Transaction, flows: &Flows, now: Time) -> Notable {
        let Transaction { flow, begin, end, frames: [first, last], .. } = *transaction;
        let until = end.unwrap_or(now);
        let from = match first {
            Some(first) => self.seen.partition_point(|seen| seen.number < first),
            None => self.seen.partition_point(|seen| seen.time < begin),
        };
        let since = || {
            let is_until = move |seen: &&Seen| last.map_or(seen.time <= until, |last| seen.number <= last);
            self.seen.range(from..).take_while(is_until)
        };
        let asked = since().next().filter(|seen| Some(seen.number) == first);
        let (of, forward) = asked.map_or((flow, true), |seen| (seen.flow, seen.forward));
        let between = || since().filter(move |seen| seen.flow == of);
        let heard = between().find(|seen| seen.forward != forward && seen.time > begin).map(|seen| seen.time);
        Notable {
            transaction: *transaction,
            between: Between {
                retransmissions: between().filter(|seen| seen.repeated).count() as u64,
                zero_window: self.closed(of, begin, until),
                others: self.others(transaction, flows, until),
                heard: heard.filter(|heard| *heard < until).map(|heard| heard.since(begin)),
            },
        }
    }

    /// How long windows of a flow were closed in a time.
    fn closed(&self, flow: FlowId, begin: Time, until: Time) -> Duration {
        let of_flow = self.windows.iter().filter(|(of, ..)| *of == flow);
        let within = of_flow.map(|&(_, opened, closed)| {
            let since = opened.since(Time::ZERO).saturating_sub(closed).max(begin.since(Time::ZERO));
            opened.min(until).since(Time::ZERO).saturating_sub(since)
        });
        within.sum()
    }

    /// Requests to the same service that were asked before and answered between.
    fn others(&self, transaction: &Transaction, flows: &Flows, until: Time) -> u64 {
        let Some(own) = flows.key(transaction.flow) else { return 0 };
        let is_same = |flow: FlowId| flows.key(flow).is_some_and(|key| (key.to, key.service) == (own.to, own.service));
        // they end in order: a queue that grows makes each request slower than the last, and all would be looked at each time
        let from = self.ended.partition_point(|(_, _, end)| *end <= transaction.begin);
        let meanwhile = self.ended.range(from..).filter(|(_, begin, end)| *begin < transaction.begin && *end <= until);
        meanwhile.filter(|(flow, ..)| is_same(*flow)).count() as u64
    }
}

fn time(of: &Transaction) -> Duration {
    of.end.map_or(Duration::ZERO, |end| end.since(of.begin))
}

/// Where a transaction belongs behind those that `are_before` it; `None` behind the last place.
fn place(known: &[Notable], limit: usize, are_before: impl Fn(&Transaction) -> bool) -> Option<usize> {
    let place = known.partition_point(|notable| are_before(&notable.transaction));
    (place < limit).then_some(place)
}

fn place_of_begin(known: &[Notable], limit: usize, transaction: &Transaction) -> Option<usize> {
    place(known, limit, |of| of.begin <= transaction.begin)
}

fn insert(known: &mut Vec<Notable>, place: usize, found: Notable, limit: usize) {
    known.insert(place, found);
    known.truncate(limit);
}

fn push<T>(queue: &mut VecDeque<T>, found: T, limit: usize) {
    if queue.len() == limit {
        queue.pop_front();
    }
    queue.push_back(found);
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::{Address, FlowKey, Moment, Service};

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    struct Trial {
        slowest: Slowest,
        flows: Flows,
        number: u64,
    }

    impl Trial {
        fn new(limit: usize) -> Trial {
            Trial { slowest: Slowest::new(limit), flows: Flows::default(), number: 0 }
        }

        fn flow(&mut self, client: u8) -> FlowId {
            let host = |number| Address::Ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, number)));
            self.flows.intern(FlowKey { from: host(client), to: host(99), service: Service::Tcp(80) })
        }

        fn packet(&mut self, milliseconds: u64, flow: FlowId, forward: bool, repeated: bool) {
            self.number += 1;
            let sent = Sent { flow, time: at(milliseconds), forward, l3_bytes: 40, l4_bytes: 0, repeated };
            self.slowest.sent(&sent, self.number);
        }

        /// A transaction between packets by number and milliseconds has ended.
        fn ended(&mut self, flow: FlowId, begin: (u64, u64), end: Option<(u64, u64)>, attempts: u32, now: u64) {
            let outcome = if end.is_some() { Outcome::Answered } else { Outcome::Unanswered };
            let moment = |(number, milliseconds)| Moment { time: at(milliseconds), frame: Some(number) };
            let of = Transaction::of(flow, moment(begin), end.map(moment), outcome);
            self.slowest.transaction(&Transaction { attempts, ..of }, &self.flows, at(now));
        }
    }

    fn begins(found: &[Notable]) -> Vec<Time> {
        found.iter().map(|of| of.transaction.begin).collect()
    }

    #[test]
    fn the_slowest_are_kept_with_their_frames_and_what_happened_between() {
        let mut trial = Trial::new(2);
        let (one, other) = (trial.flow(1), trial.flow(2));
        trial.packet(0, one, true, false);
        trial.packet(5, other, true, false);
        trial.packet(6, other, false, false);
        trial.packet(50, other, true, true);
        trial.slowest.window(other, at(90), Duration::from_millis(20));
        trial.packet(100, one, false, false);
        trial.ended(one, (1, 0), Some((5, 100)), 1, 100);
        // its answer is the packet being taken
        trial.ended(other, (2, 5), Some((6, 300)), 2, 300);
        trial.ended(one, (7, 400), Some((8, 401)), 1, 500);
        let slow = trial.slowest.slow();
        assert_eq!(begins(slow), [at(5), at(0)]);
        let between = Between {
            retransmissions: 1,
            zero_window: Duration::from_millis(20),
            others: 1,
            heard: Some(Duration::from_millis(1)),
        };
        assert_eq!(slow[0].between, between);
        assert_eq!(slow[1].between, Between::default());
        assert_eq!(begins(trial.slowest.retried()), [at(5)]);
    }

    #[test]
    fn the_first_that_were_lost_are_kept_in_order() {
        let mut trial = Trial::new(2);
        let flow = trial.flow(1);
        for begin in [30, 10, 20] {
            trial.ended(flow, (begin, begin), None, 1, 900);
        }
        assert_eq!(begins(trial.slowest.lost()), [at(10), at(20)]);
        assert_eq!(trial.slowest.lost()[0].between, Between::default());
        assert_eq!((trial.slowest.slow().len(), trial.slowest.retried().len()), (0, 0));
    }
    #[test]
    fn between_packets_with_equal_stamps_are_those_between_their_numbers() {
        let mut trial = Trial::new(3);
        let (one, other) = (trial.flow(1), trial.flow(2));
        for (forward, repeated) in [(true, false), (true, true), (false, false), (true, true), (false, false)] {
            trial.packet(7, one, forward, repeated);
        }
        trial.ended(one, (2, 7), Some((3, 7)), 1, 7);
        assert_eq!(trial.slowest.slow()[0].between.retransmissions, 1, "not that of packet 4");
        // the server asks: of the flow of its requests no packet is seen
        trial.packet(20, one, false, false);
        trial.packet(30, one, true, false);
        trial.packet(31, one, false, true);
        trial.ended(other, (6, 20), Some((9, 90)), 1, 90);
        let between = trial.slowest.slow()[0].between;
        assert_eq!((between.retransmissions, between.heard), (1, Some(Duration::from_millis(10))));
    }
}
