//! A tin of CAKE: queues of flows that take turns as in DRR++, sparse ones first, with fairness between hosts.

use sojourn_core::{Stream, Time};

use super::super::super::packet::{List, Store};
use super::chain::{Chain, Link};
use super::cobalt::{Cobalt, Parameters};
use super::sets::{Place, SLOTS};
use super::tins::Share;

/// Octets of a flow's turn: those of this many parts of a second at the tin's rate, within limits (sch_cake).
const QUANTA: u64 = 4096;
const QUANTUM: [u64; 2] = [300, 1514];
/// Deficits count parts of octets, so that a quantum can be divided among the flows of a host without rounding up or down.
const PARTS: i64 = 1 << 16;
/// The owner of no queue.
const UNOWNED: u32 = u32::MAX;

/// Queues of flows, and what the tin may send.
#[derive(Clone, Debug)]
pub struct Tin {
    pub share: Share,
    /// When it may send next within its rate.
    pub next: Time,
    /// Octets left of its round among tins, without a shaper.
    pub deficit: i64,
    /// Octets that wait in it.
    pub octets: u64,
    parameters: Parameters,
    flows: Vec<Flow>,
    /// Whose packet left last.
    served: usize,
    /// By [`State`].
    chains: [Chain; 3],
    /// Flows in the first two chains.
    active: u32,
    quantum: i64,
    /// Which of source and destination hosts share fairly, and how many of their flows are bulk.
    between_hosts: [bool; 2],
    bulk: [Vec<u32>; 2],
}

/// A queue and its flow.
#[derive(Clone, Copy, Debug)]
struct Flow {
    list: List,
    link: Link,
    cobalt: Cobalt,
    deficit: i64,
    state: Option<State>,
    is_bulk: bool,
    owner: u32,
    hosts: [u32; 2],
}

/// In which chain a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its first turn is not over: it goes first.
    New,
    /// It takes turns.
    Old,
    /// It is empty, and COBALT has not forgotten it yet.
    Decaying,
}

impl AsMut<Link> for Flow {
    #[inline]
    fn as_mut(&mut self) -> &mut Link {
        &mut self.link
    }
}

impl Tin {
    /// An empty tin.
    pub fn new(
        share: Share,
        parameters: Parameters,
        queues: usize,
        hosts: [usize; 2],
        between_hosts: [bool; 2],
    ) -> Self {
        let [least, most] = QUANTUM;
        let quantum = share.rate.map_or(most, |rate| (rate / 8 / QUANTA).clamp(least, most));
        let flow = Flow {
            list: List::new(),
            link: Link::NONE,
            cobalt: Cobalt::new(),
            deficit: 0,
            state: None,
            is_bulk: false,
            owner: UNOWNED,
            hosts: [0; 2],
        };
        Tin {
            share,
            next: Time::ZERO,
            deficit: 0,
            octets: 0,
            parameters,
            flows: vec![flow; queues],
            served: 0,
            chains: [Chain::NONE; 3],
            active: 0,
            quantum: quantum as i64 * PARTS,
            between_hosts,
            bulk: hosts.map(|count| vec![0; count]),
        }
    }

    /// Whether a flow has its turn, be it that all its packets are gone.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active > 0
    }

    /// A packet joins the queue of its flow.
    #[inline]
    pub fn enqueue(&mut self, number: u32, place: Place, store: &mut Store) {
        let at = self.queue_of(place);
        self.flows[at].list.push(number, store);
        self.octets += u64::from(store[number].counted);
        match self.flows[at].state {
            None | Some(State::Decaying) => {
                self.moves(at, Some(State::New));
                self.flows[at].deficit = self.quantum_of(at);
            }
            // it was empty, and comes back before its turn was over
            Some(State::Old) if !self.flows[at].is_bulk => self.becomes_bulk(at, true),
            Some(_) => {}
        }
    }

    /// The queue of a packet: its owner's, a free one of its set, or as the last resort one that it shares.
    #[inline]
    fn queue_of(&mut self, place: Place) -> usize {
        let direct = place.queue as usize;
        let flow = &self.flows[direct];
        if flow.owner == place.owner && flow.state.is_some() {
            return direct;
        }
        let set = direct - direct % SLOTS;
        let slots = || (0..SLOTS).map(|slot| set + (direct + slot) % SLOTS);
        let own = slots().find(|at| self.flows[*at].owner == place.owner);
        let at = own.or_else(|| slots().find(|at| self.flows[*at].state.is_none())).unwrap_or(direct);
        if own.is_none() {
            let was_bulk = self.flows[at].is_bulk;
            self.becomes_bulk(at, false);
            (self.flows[at].owner, self.flows[at].hosts) = (place.owner, place.hosts);
            self.becomes_bulk(at, was_bulk);
        }
        at
    }

    /// The next packet, or none if the flow whose turn it was had none: then tins are to be chosen anew. `decays` says whether
    /// a flow that COBALT has not forgotten is looked at first, as once for each packet.
    pub fn dequeue(
        &mut self,
        now: Time,
        decays: &mut bool,
        store: &mut Store,
        dropped: &mut Vec<u32>,
        draws: &mut Stream,
    ) -> Option<u32> {
        loop {
            let [new, old, decaying] = self.chains.map(|chain| chain.first());
            let decays_first = std::mem::take(decays);
            let at = decaying.filter(|_| decays_first).or(new).or(old).or(decaying)? as usize;
            if self.flows[at].deficit > 0 {
                return self.take(now, at, store, dropped, draws);
            }
            if self.flows[at].state == Some(State::New) && !self.flows[at].list.is_empty() {
                self.becomes_bulk(at, true);
            }
            self.flows[at].deficit += self.quantum_of(at);
            self.moves(at, Some(State::Old));
        }
    }

    fn take(
        &mut self,
        now: Time,
        at: usize,
        store: &mut Store,
        dropped: &mut Vec<u32>,
        draws: &mut Stream,
    ) -> Option<u32> {
        loop {
            let flow = &mut self.flows[at];
            let Some(number) = flow.list.pop(store) else {
                flow.cobalt.is_empty(now, &self.parameters);
                let is_at_rest = flow.cobalt.is_at_rest(now);
                self.becomes_bulk(at, false);
                self.moves(at, (!is_at_rest).then_some(State::Decaying));
                return None;
            };
            self.octets -= u64::from(store[number].counted);
            let drops = flow.cobalt.drops(now, &self.parameters, &mut store[number], draws);
            // the last packet of a queue is never dropped: nothing would be gained
            if !drops || flow.list.is_empty() {
                self.served = at;
                return Some(number);
            }
            dropped.push(number);
        }
    }

    /// The packet that left last counts this many octets.
    #[inline]
    pub fn charge(&mut self, length: u32) {
        self.deficit -= i64::from(length);
        self.flows[self.served].deficit -= i64::from(length) * PARTS;
    }

    /// The flow with the most octets waiting, and how many.
    pub fn longest(&self) -> Option<(u64, usize)> {
        let of = |state: State| self.chains[state as usize].iter(&self.flows, |flow| flow.link);
        let octets = |at: usize| (self.flows[at].list.octets, at);
        of(State::New).chain(of(State::Old)).map(octets).max_by_key(|(octets, _)| *octets)
    }

    /// The oldest packet of a flow is dropped: there is no room.
    pub fn overflows(&mut self, now: Time, at: usize, store: &Store) -> Option<u32> {
        let flow = &mut self.flows[at];
        let number = flow.list.pop(store)?;
        flow.cobalt.overflows(now, &self.parameters);
        self.octets -= u64::from(store[number].counted);
        Some(number)
    }

    /// All packets go.
    pub fn clear(&mut self, store: &Store, dropped: &mut Vec<u32>) {
        for flow in &mut self.flows {
            dropped.extend(std::iter::from_fn(|| flow.list.pop(store)));
        }
        self.octets = 0;
    }

    /// A flow's quantum: shared with the other bulk flows of whichever of its hosts has more of them.
    #[inline]
    fn quantum_of(&self, at: usize) -> i64 {
        let flow = &self.flows[at];
        let load = |end: usize| match self.between_hosts[end] {
            true => self.bulk[end][flow.hosts[end] as usize],
            false => 1,
        };
        self.quantum / i64::from(load(0).max(load(1)).max(1))
    }

    /// A flow counts for its hosts, or no longer.
    fn becomes_bulk(&mut self, at: usize, is_bulk: bool) {
        let flow = &mut self.flows[at];
        if flow.is_bulk == is_bulk {
            return;
        }
        flow.is_bulk = is_bulk;
        for (bulk, host) in self.bulk.iter_mut().zip(flow.hosts) {
            let count = &mut bulk[host as usize];
            *count = if is_bulk { *count + 1 } else { *count - 1 };
        }
    }

    /// A flow goes to the end of a chain, or out of all.
    fn moves(&mut self, at: usize, to: Option<State>) {
        let is_active = |state: Option<State>| u32::from(matches!(state, Some(State::New | State::Old)));
        let from = std::mem::replace(&mut self.flows[at].state, to);
        self.active = self.active + is_active(to) - is_active(from);
        if let Some(from) = from {
            self.chains[from as usize].remove(at as u32, &mut self.flows);
        }
        if let Some(to) = to {
            self.chains[to as usize].push(at as u32, &mut self.flows);
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Streams};

    use super::super::super::super::cake::{Headers, Isolation};
    use super::super::super::super::packet::Packet;
    use super::super::sets::Sets;
    use super::*;
    use crate::frame::Frame;
    use sojourn_model::slab::NONE;
    use sojourn_protocols::ip::Ecn;

    /// The mean number of queues that this many flows have.
    fn queues(flows: u32) -> f64 {
        const SEEDS: u64 = 20;
        let connections: Vec<u32> = (0..flows).collect();
        let taken = |seed| {
            let mut hash = Streams::new(seed, 0).stream("hash");
            let sets = Sets::new(&connections, flows as usize, Isolation::Flows, &Headers::default(), &mut hash);
            let parameters = Parameters::new(Duration::from_millis(5), Duration::from_millis(100), None, 1514);
            let share = Share { rate: None, quantum: 1024 };
            let mut tin = Tin::new(share, parameters, sets.queues(), sets.hosts(), [false; 2]);
            let mut store = Store::new();
            for connection in 0..flows {
                let frame = Frame { packet: 0, octets: 100, connection, ecn: Ecn::NotEct };
                let number = store.insert(Packet::new(frame, 100, NONE, 0));
                tin.enqueue(number, sets.place(connection), &mut store);
            }
            f64::from(tin.active)
        };
        (0..SEEDS).map(taken).sum::<f64>() / SEEDS as f64
    }

    #[test]
    fn flows_share_queues_only_where_more_than_eight_have_a_set() {
        // 128 E[min(K, 8)] queues for K flows of a set, binomial with 1/128: 100 of 100, 496.4 of 500, 870.4 of 1000; a plain
        // hash would leave 1024 (1 - (1 - 1/1024)^n): 95.3, 395.7 and 638.5
        assert_eq!(queues(100), 100.0);
        assert!((queues(500) - 496.4).abs() < 1.5, "{}", queues(500));
        assert!((queues(1000) - 870.4).abs() < 6.0, "{}", queues(1000));
    }
}
