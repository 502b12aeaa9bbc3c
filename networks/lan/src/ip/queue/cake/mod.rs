//! CAKE (Høiland-Jørgensen, Täht and Morton, Piece of CAKE, 2018; tc-cake(8)): a shaper by a virtual clock, tins by code
//! point, and in each tin flows that take turns under COBALT, fair between hosts.
//!
//! Left out: the filter of acknowledgements (a packet does not say that it is one), `ingress`, `nat`, `wash` and
//! `autorate-ingress`; hosts do not collide in a hash of theirs.

mod chain;
mod cobalt;
mod sets;
mod tin;
mod tins;

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use self::cobalt::Parameters;
use self::sets::Sets;
use self::tin::Tin;
use super::super::cake::{CakeSettings, Compensation};
use super::super::packet::Store;
use super::super::settings::Limit;
use super::super::shaping::Next;

/// The least limit in octets of a shaper without one: 4 MiB (sch_cake).
const LEAST_LIMIT: u64 = 4 << 20;
/// The most that is: this many of the longest packets.
const MOST_PACKETS: u64 = 10_240;
/// Otherwise it is what the rate carries in this many intervals.
const INTERVALS: f64 = 4.0;

/// Tins behind one shaper.
#[derive(Clone, Debug)]
pub struct Cake {
    bandwidth: Option<u64>,
    compensation: Compensation,
    limit: Limit,
    sets: Sets,
    /// By connection.
    tin_of: Vec<u8>,
    tins: Vec<Tin>,
    /// Whose round it is among tins, without a shaper.
    turn: usize,
    /// When the shaper lets the next packet go.
    next: Time,
    packets: u32,
    octets: u64,
    draws: Stream,
}

impl Cake {
    /// Empty tins; `longest` are the octets of the longest packet. `connections` are those that pass, of `all`; `hash` draws
    /// how flows are hashed, `draws` what BLUE drops.
    pub fn new(
        settings: &CakeSettings,
        limit: Limit,
        longest: u32,
        connections: &[u32],
        all: usize,
        hash: &mut Stream,
        draws: Stream,
    ) -> Self {
        let CakeSettings { bandwidth, isolation, target, interval, ref headers, .. } = *settings;
        let sets = Sets::new(connections, all, isolation, headers, hash);
        let tin = |share: tins::Share| {
            let parameters = Parameters::new(target, interval, share.rate, longest);
            Tin::new(share, parameters, sets.queues(), sets.hosts(), isolation.between_hosts())
        };
        let dscp = |connection: usize| headers.dscps.get(connection).copied().unwrap_or_default();
        let octets = match limit.octets {
            u64::MAX => room(bandwidth, interval, longest),
            octets => octets,
        };
        Cake {
            bandwidth,
            compensation: settings.compensation,
            limit: Limit { octets, ..limit },
            tin_of: (0..all).map(|connection| tins::tin(settings.tins, dscp(connection))).collect(),
            tins: tins::shares(settings.tins, bandwidth).into_iter().map(tin).collect(),
            sets,
            turn: 0,
            next: Time::ZERO,
            packets: 0,
            octets: 0,
            draws,
        }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let (now, connection) = (store[number].queued, store[number].frame.connection);
        let tin = &mut self.tins[usize::from(self.tin_of[connection as usize])];
        if tin.octets == 0 {
            // no credit is saved up while nothing waits
            tin.next = tin.next.max(now);
            if self.packets == 0 {
                self.next = self.next.max(now);
            }
        }
        tin.enqueue(number, self.sets.place(connection), store);
        self.packets += 1;
        self.octets += u64::from(store[number].counted);
        while self.octets > self.limit.octets || self.packets > self.limit.packets {
            self.drop_from_longest(now, store, dropped);
        }
    }

    /// The next packet, or when the shaper lets one go.
    #[inline]
    pub fn next(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Next {
        if self.packets > 0 && self.bandwidth.is_some() && self.next > now {
            return Next::NotBefore(self.next);
        }
        let mut decays = true;
        while self.packets > 0 {
            let tin = if self.bandwidth.is_some() { self.first_due(now) } else { self.first_in_turn() };
            let before = dropped.len();
            let found = self.tins[tin].dequeue(now, &mut decays, store, dropped, &mut self.draws);
            for number in dropped[before..].iter().copied().chain(found) {
                self.packets -= 1;
                self.octets -= u64::from(store[number].counted);
            }
            if let Some(number) = found {
                self.charge(now, tin, number, store);
                return Next::Packet(number);
            }
        }
        Next::Nothing
    }

    /// All packets go.
    pub fn clear(&mut self, store: &Store, dropped: &mut Vec<u32>) {
        self.tins.iter_mut().for_each(|tin| tin.clear(store, dropped));
        (self.packets, self.octets) = (0, 0);
    }

    /// The highest tin that is within its rate, or else the one that is so next.
    #[inline]
    fn first_due(&self, now: Time) -> usize {
        let (mut best, mut at) = (Time::NEVER, 0);
        for (number, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
            if tin.next <= now || tin.next <= best {
                (best, at) = (tin.next, number);
            }
        }
        at
    }

    /// The tin whose round it is.
    fn first_in_turn(&mut self) -> usize {
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.deficit >= 0 && tin.is_active() {
                return self.turn;
            }
            if tin.deficit <= 0 {
                tin.deficit += i64::from(tin.share.quantum);
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
    }

    /// A packet goes: the clocks of the shaper and of its tin advance.
    #[inline]
    fn charge(&mut self, now: Time, tin: usize, number: u32, store: &Store) {
        let packet = &store[number];
        let length = self.compensation.length(packet.octets, packet.counted);
        let takes = |rate: u64| Duration::from_units(8 * u64::from(length), rate);
        let tin = &mut self.tins[tin];
        tin.charge(length);
        if let (Some(bandwidth), Some(rate)) = (self.bandwidth, tin.share.rate) {
            // a tin ahead of its clock keeps no debt beyond one packet
            tin.next = if tin.next < now { tin.next + takes(rate) } else { tin.next.max(now + takes(rate)) };
            self.next += takes(bandwidth);
        }
    }

    /// The oldest packet of the flow with the most octets goes.
    #[cold]
    fn drop_from_longest(&mut self, now: Time, store: &Store, dropped: &mut Vec<u32>) {
        let longest = self.tins.iter().enumerate().filter_map(|(tin, flows)| Some((tin, flows.longest()?)));
        let (tin, (_, flow)) = longest.max_by_key(|(_, (octets, _))| *octets).expect("packets wait");
        let number = self.tins[tin].overflows(now, flow, store).expect("the longest queue has packets");
        self.packets -= 1;
        self.octets -= u64::from(store[number].counted);
        dropped.push(number);
    }
}

/// Octets that find room where no limit is given.
fn room(bandwidth: Option<u64>, interval: Duration, longest: u32) -> u64 {
    let carried = bandwidth.map(|rate| (rate as f64 / 8.0 * interval.seconds() * INTERVALS) as u64);
    carried.map_or(u64::MAX, |octets| octets.max(LEAST_LIMIT)).min(MOST_PACKETS * u64::from(longest))
}

rekey_fields!(Cake { draws });
