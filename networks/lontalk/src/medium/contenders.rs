//! Contending stations and their transmission times.

use sojourn_core::{Time, rekey_fields};

use super::port::{ALONE, Port};
use super::slots::{Draw, NO_SLOT, Slots};
use super::synced::SyncedContenders;
use crate::backlog::{Decay, Estimate, Rules, Span};
use crate::channel::Channel;

/// All contending stations of a medium.
///
/// Nearly all wait since the beginning of the random slots.
#[derive(Clone, Debug)]
pub struct Contenders {
    /// Ports in the order in which transmissions of one busy period are reported.
    order: Vec<u32>,
    /// Contenders that have waited since the beginning of the random slots.
    synced: SyncedContenders,
    since: Time,
    /// Contenders that started later, wait for a priority slot, or have skewed slots.
    late: Vec<LateContender>,
}

/// A contender whose slots differ from those of most.
#[derive(Clone, Copy, Debug)]
struct LateContender {
    port: u32,
    fire: Time,
    estimate: Estimate,
}

impl Contenders {
    pub fn new() -> Self {
        Contenders { order: Vec::new(), synced: SyncedContenders::default(), since: Time::ZERO, late: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A station starts to contend.
    pub fn push(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &mut Port) {
        state.rank = self.order.len() as u32;
        self.order.push(port);
        self.put(port, estimate, draw, state);
    }

    /// Adds a contender that was taken back.
    pub fn put(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &mut Port) {
        if draw.since == self.since && state.draws_with_others() {
            self.synced.push(port, &estimate, draw.slot, state);
        } else {
            self.late.push(LateContender {
                port,
                fire: draw.fire,
                estimate: Estimate { since: draw.since, ..estimate },
            });
        }
    }

    /// Takes out a contender; returns its estimate.
    pub fn take(&mut self, port: u32, ports: &mut [Port]) -> Estimate {
        let place = ports[port as usize].place;
        if place != ALONE {
            return self.synced.swap_remove(place as usize, self.since, ports).1;
        }
        let place = self.late.iter().position(|late| late.port == port).expect("a contender");
        self.late.swap_remove(place).estimate
    }

    /// A contender's packet has changed to one that does not draw with the others; its slot stays.
    pub fn set_apart(&mut self, port: u32, channel: &Channel, ports: &mut [Port]) {
        let place = ports[port as usize].place;
        if place != ALONE {
            let (slot, estimate) = self.synced.swap_remove(place as usize, self.since, ports);
            self.late.push(LateContender { port, fire: channel.slot(self.since, slot), estimate });
        }
    }

    /// A contender that was taken has sent its packet.
    pub fn sent(&mut self, port: u32, ports: &mut [Port]) {
        let rank = ports[port as usize].rank;
        self.order.swap_remove(rank as usize);
        if let Some(&moved) = self.order.get(rank as usize) {
            ports[moved as usize].rank = rank;
        }
    }

    /// A contender that was taken has lost its packet.
    pub fn withdrawn(&mut self, port: u32, ports: &mut [Port]) {
        let rank = ports[port as usize].rank as usize;
        self.order.remove(rank);
        self.order[rank..].iter().for_each(|&behind| ports[behind as usize].rank -= 1);
    }

    /// When the first transmits; never without contenders.
    pub fn first(&self, channel: &Channel) -> Time {
        let synced = self.fire(self.synced.first(), channel);
        self.late.iter().map(|late| late.fire).fold(synced, Time::min)
    }

    /// Start of `slot`.
    fn fire(&self, slot: u32, channel: &Channel) -> Time {
        if slot == NO_SLOT { Time::NEVER } else { channel.slot(self.since, slot) }
    }

    /// Calls `each` with the ports that transmit before `sensed`, and when they do.
    pub fn transmitting(&self, sensed: Time, channel: &Channel, mut each: impl FnMut(u32, Time)) {
        let end = channel.slots_before(sensed, self.since);
        self.synced.before(end, |port, slot| each(port, channel.slot(self.since, slot)));
        self.late.iter().filter(|late| late.fire < sensed).for_each(|late| each(late.port, late.fire));
    }

    /// Updates all estimates over `span`; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules) -> u128 {
        let integral = self.synced.stations.lower(&Decay::waiting(self.since, span, rules));
        integral + self.late.iter_mut().map(|late| late.estimate.settle_waiting(span, rules)).sum::<u128>()
    }

    /// Applies the delta backlog of a valid packet, which restarts idle timers; returns how many increases the cap limited.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let cuts = self.synced.apply(delta, cap);
        cuts + self.late.iter_mut().map(|late| u64::from(late.estimate.apply(delta, cap))).sum::<u64>()
    }

    /// Sets all estimates to `backlog`.
    pub fn set_all(&mut self, backlog: u8) {
        self.synced.stations.set_all(backlog);
        self.late.iter_mut().for_each(|late| late.estimate.backlog = backlog);
    }

    /// An idle period begins: all contenders that were not taken out draw. Returns when the first transmits.
    pub fn begin_idle_period(&mut self, now: Time, channel: &Channel, slots: &Slots, ports: &mut [Port]) -> Time {
        self.since = slots.random_from;
        let first = self.synced.draw(channel.base_window);
        let mut next = self.fire(first, channel);
        let Self { synced, late, since, .. } = self;
        late.retain_mut(|LateContender { port, fire, estimate }| {
            let state = &mut ports[*port as usize];
            let draw = state.draw(now, estimate.backlog, channel, slots);
            (*fire, estimate.since) = (draw.fire, draw.since);
            next = next.min(draw.fire);
            let is_late = draw.since != *since || !state.draws_with_others();
            if !is_late {
                synced.push(*port, estimate, draw.slot, state);
            }
            is_late
        });
        next
    }

    /// The backlog estimate of a station.
    pub fn backlog(&self, port: u32, state: &Port) -> u8 {
        if state.place != ALONE {
            return self.synced.stations.backlog(state.place as usize);
        }
        self.late.iter().find(|late| late.port == port).expect("a contender").estimate.backlog
    }
}

rekey_fields!(Contenders { synced });
