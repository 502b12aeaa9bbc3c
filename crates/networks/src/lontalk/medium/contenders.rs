//! Stations with something to send, and when each would fire.

use sojourn_core::Time;

use super::port::{ALONE, Port};
use super::slots::{NO_SLOT, Slots};
use super::synced::Punctual;
use crate::lontalk::backlog::{Estimate, Fall, Rules, Span};
use crate::lontalk::channel::Channel;

/// All stations of a medium with something to send.
///
/// Those that drew when the silence began wait since the same instant, as nearly all do.
#[derive(Debug)]
pub struct Contenders {
    /// Ports in the order in which transmissions of one busy period are told.
    order: Vec<u32>,
    /// Those that have waited since the beginning of the random slots.
    punctual: Punctual,
    since: Time,
    /// Those that came later, wait for a priority slot, or have late slots.
    late: Vec<Late>,
}

/// A contender that waits otherwise than most.
#[derive(Clone, Copy, Debug)]
struct Late {
    port: u32,
    fire: Time,
    estimate: Estimate,
}

/// When a contender fires, and since when it waits in its random phase.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub fire: Time,
    /// See [`Estimate::since`].
    pub since: Time,
    /// Which of the slots since then it fires in.
    pub slot: u32,
}

impl Draw {
    /// A station that has come upon a busy channel.
    pub const HELD: Draw = Draw::at(Time::NEVER);

    /// A station that fires at an instant that it has not drawn.
    pub const fn at(fire: Time) -> Self {
        Draw { fire, since: Time::NEVER, slot: 0 }
    }
}

impl Contenders {
    pub fn new() -> Self {
        Contenders { order: Vec::new(), punctual: Punctual::default(), since: Time::ZERO, late: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A station begins to contend.
    pub fn push(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &mut Port) {
        state.turn = self.order.len() as u32;
        self.order.push(port);
        self.put(port, estimate, draw, state);
    }

    /// Puts a contender back that was taken.
    pub fn put(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &mut Port) {
        if draw.since == self.since && state.draws_with_others() {
            self.punctual.push(port, &estimate, draw.slot, state);
        } else {
            self.late.push(Late { port, fire: draw.fire, estimate: Estimate { since: draw.since, ..estimate } });
        }
    }

    /// Takes a contender that is to be put back or to go; returns its estimate.
    pub fn take(&mut self, port: u32, ports: &mut [Port]) -> Estimate {
        let place = ports[port as usize].place;
        if place != ALONE {
            return self.punctual.swap_remove(place as usize, self.since, ports).1;
        }
        let place = self.late.iter().position(|late| late.port == port).expect("a contender");
        self.late.swap_remove(place).estimate
    }

    /// A contender's packet has changed into one that it shall not draw for with the others; its slot stays.
    pub fn set_apart(&mut self, port: u32, channel: &Channel, ports: &mut [Port]) {
        let place = ports[port as usize].place;
        if place != ALONE {
            let (slot, estimate) = self.punctual.swap_remove(place as usize, self.since, ports);
            self.late.push(Late { port, fire: channel.slot(self.since, slot), estimate });
        }
    }

    /// A contender that was taken has sent its packet.
    pub fn sent(&mut self, port: u32, ports: &mut [Port]) {
        let turn = ports[port as usize].turn;
        self.order.swap_remove(turn as usize);
        if let Some(&moved) = self.order.get(turn as usize) {
            ports[moved as usize].turn = turn;
        }
    }

    /// A contender that was taken has lost its packet.
    pub fn withdrawn(&mut self, port: u32, ports: &mut [Port]) {
        let turn = ports[port as usize].turn as usize;
        self.order.remove(turn);
        self.order[turn..].iter().for_each(|&behind| ports[behind as usize].turn -= 1);
    }

    /// When the first fires; never if nobody contends.
    pub fn first(&self, channel: &Channel) -> Time {
        let punctual = self.fire(self.punctual.first(), channel);
        self.late.iter().map(|late| late.fire).fold(punctual, Time::min)
    }

    /// When one fires that has drawn `slot` with the others.
    fn fire(&self, slot: u32, channel: &Channel) -> Time {
        if slot == NO_SLOT { Time::NEVER } else { channel.slot(self.since, slot) }
    }

    /// Hands over those that fire before `sensed`, and when they do.
    pub fn firing(&self, sensed: Time, channel: &Channel, mut each: impl FnMut(u32, Time)) {
        let end = channel.slots_before(sensed, self.since);
        self.punctual.before(end, |port, slot| each(port, channel.slot(self.since, slot)));
        self.late.iter().filter(|late| late.fire < sensed).for_each(|late| each(late.port, late.fire));
    }

    /// Brings all estimates across `span`; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules) -> u128 {
        let integral = self.punctual.stations.lower(&Fall::waiting(self.since, span, rules));
        integral + self.late.iter_mut().map(|late| late.estimate.settle_waiting(span, rules)).sum::<u128>()
    }

    /// Applies the delta backlog of a valid packet, which restarts idle timers; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let cuts = self.punctual.apply(delta, cap);
        cuts + self.late.iter_mut().map(|late| u64::from(late.estimate.apply(delta, cap))).sum::<u64>()
    }

    /// All believe `backlog`.
    pub fn agree_on(&mut self, backlog: u8) {
        self.punctual.stations.agree_on(backlog);
        self.late.iter_mut().for_each(|late| late.estimate.backlog = backlog);
    }

    /// A silence begins: all that were not taken draw. Tells when the first fires.
    pub fn open(&mut self, now: Time, channel: &Channel, slots: &Slots, ports: &mut [Port]) -> Time {
        self.since = slots.random_from;
        let first = self.punctual.draw(channel.base_window);
        let mut next = self.fire(first, channel);
        let Self { punctual, late, since, .. } = self;
        late.retain_mut(|Late { port, fire, estimate }| {
            let state = &mut ports[*port as usize];
            let draw = state.draw(now, estimate.backlog, channel, slots);
            (*fire, estimate.since) = (draw.fire, draw.since);
            next = next.min(draw.fire);
            let is_late = draw.since != *since || !state.draws_with_others();
            if !is_late {
                punctual.push(*port, estimate, draw.slot, state);
            }
            is_late
        });
        next
    }

    /// The backlog of a station.
    pub fn backlog(&self, port: u32, state: &Port) -> u8 {
        if state.place != ALONE {
            return self.punctual.stations.backlog(state.place as usize);
        }
        self.late.iter().find(|late| late.port == port).expect("a contender").estimate.backlog
    }
}
