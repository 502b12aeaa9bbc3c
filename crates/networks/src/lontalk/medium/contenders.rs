//! Stations with something to send, and when each would fire.

use sojourn_core::Time;

use super::Transmission;
use super::port::Port;
use super::punctual::{Contender, Punctual};
use super::slots::Slots;
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
    pub fn push(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &Port) {
        self.order.push(port);
        self.put(port, estimate, draw, state);
    }

    /// Puts a contender back that was taken.
    pub fn put(&mut self, port: u32, estimate: Estimate, draw: Draw, state: &Port) {
        if draw.since == self.since && state.draws_with_others() {
            self.punctual.push(port, Contender::new(&estimate, draw.slot));
        } else {
            self.late.push(Late { port, fire: draw.fire, estimate: Estimate { since: draw.since, ..estimate } });
        }
    }

    /// Takes a contender that is to be put back or to go; returns its estimate.
    pub fn take(&mut self, port: u32) -> Estimate {
        if let Some(place) = self.punctual.stations.position(port) {
            return self.punctual.swap_remove(place).estimate(self.since);
        }
        let place = self.late.iter().position(|late| late.port == port).expect("a contender");
        self.late.swap_remove(place).estimate
    }

    /// A contender's packet has changed into one that it shall not draw for with the others; its slot stays.
    pub fn set_apart(&mut self, port: u32, channel: &Channel) {
        if let Some(place) = self.punctual.stations.position(port) {
            let contender = self.punctual.swap_remove(place);
            let (fire, estimate) = (channel.slot(self.since, contender.slot), contender.estimate(self.since));
            self.late.push(Late { port, fire, estimate });
        }
    }

    /// A contender that was taken has sent its packet.
    pub fn sent(&mut self, port: u32) {
        let place = self.order.iter().position(|&other| other == port);
        self.order.swap_remove(place.expect("a sender contends"));
    }

    /// A contender that was taken has lost its packet.
    pub fn withdrawn(&mut self, port: u32) {
        self.order.retain(|&other| other != port);
    }

    /// When the first fires; never if nobody contends.
    pub fn first(&self, channel: &Channel) -> Time {
        let punctual = self.punctual.first().map(|slot| channel.slot(self.since, slot));
        self.late.iter().map(|late| late.fire).chain(punctual).min().unwrap_or(Time::NEVER)
    }

    /// Hands over those that fire before `sensed`, and when they do.
    pub fn firing(&self, sensed: Time, channel: &Channel, mut each: impl FnMut(u32, Time)) {
        let end = channel.slots_before(sensed, self.since);
        self.punctual.before(end, |port, slot| each(port, channel.slot(self.since, slot)));
        self.late.iter().filter(|late| late.fire < sensed).for_each(|late| each(late.port, late.fire));
    }

    /// Puts transmissions that overlap in the order in which they are told.
    pub fn arrange(&self, transmissions: &mut [Transmission]) {
        if transmissions.len() > 1 {
            transmissions.sort_by_key(|sent| self.order.iter().position(|&port| port == sent.port));
        }
    }

    /// Brings all estimates across `span`; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules) -> u128 {
        let integral = self.punctual.stations.lower(&Fall::waiting(self.since, span, rules));
        integral + self.late.iter_mut().map(|late| late.estimate.settle_waiting(span, rules)).sum::<u128>()
    }

    /// Applies the delta backlog of a valid packet, which restarts idle timers; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        self.punctual.restart_idle_timers();
        let cuts = self.punctual.stations.apply(delta, cap);
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
        let Self { punctual, late, since, .. } = self;
        let first = punctual.draw(channel.base_window, ports);
        let mut next = first.map_or(Time::NEVER, |slot| channel.slot(*since, slot));
        late.retain_mut(|Late { port, fire, estimate }| {
            let state = &mut ports[*port as usize];
            let draw = state.draw(now, estimate.backlog, channel, slots);
            (*fire, estimate.since) = (draw.fire, draw.since);
            next = next.min(draw.fire);
            let is_late = draw.since != *since || !state.draws_with_others();
            if !is_late {
                punctual.push(*port, Contender::new(estimate, draw.slot));
            }
            is_late
        });
        next
    }

    /// The backlog of a station.
    pub fn backlog(&self, port: u32) -> u8 {
        let late = || self.late.iter().find(|late| late.port == port).map(|late| late.estimate.backlog);
        let stations = &self.punctual.stations;
        let punctual = stations.position(port).map(|place| stations.backlog(place));
        punctual.or_else(late).expect("a contender")
    }
}
