//! Stations with something to send, and when each would fire.

use sojourn_core::{Duration, Time};

use super::cohort::Cohort;
use super::port::Port;
use super::slots::Slots;
use crate::lontalk::backlog::{self, Estimate, Fall, Rules, Span};
use crate::lontalk::channel::Channel;

/// All stations of a medium with something to send.
///
/// Those that drew when the silence began wait since the same instant, as nearly all do.
#[derive(Debug)]
pub struct Contenders {
    /// Ports in the order in which transmissions of one busy period are told.
    order: Vec<u32>,
    /// Those that have waited since the beginning of the random slots, and when each fires.
    punctual: Cohort,
    fires: Vec<Time>,
    since: Time,
    /// Those that came later, wait for a priority slot, or have late slots.
    late: Vec<Late>,
}

/// A contender that waits otherwise than most.
#[derive(Clone, Copy, Debug)]
struct Late {
    port: u32,
    backlog: u8,
    draw: Draw,
}

/// When a contender fires, and since when it waits in its random phase.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub fire: Time,
    /// See [`Estimate::since`].
    pub since: Time,
}

impl Draw {
    /// A station that has come upon a busy channel.
    pub const HELD: Draw = Draw { fire: Time::NEVER, since: Time::NEVER };
}

impl Contenders {
    pub fn new() -> Self {
        let (order, punctual, fires, late) = (Vec::new(), Cohort::default(), Vec::new(), Vec::new());
        Contenders { order, punctual, fires, since: Time::ZERO, late }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A station begins to contend.
    pub fn push(&mut self, port: u32, backlog: u8, draw: Draw) {
        self.order.push(port);
        self.put(port, backlog, draw);
    }

    /// Puts a contender back that was taken.
    pub fn put(&mut self, port: u32, backlog: u8, draw: Draw) {
        if draw.since == self.since {
            self.punctual.push(port, backlog);
            self.fires.push(draw.fire);
        } else {
            self.late.push(Late { port, backlog, draw });
        }
    }

    /// Takes a contender that is to be put back or to go; returns its estimate.
    pub fn take(&mut self, port: u32, state: &Port) -> Estimate {
        let idle_elapsed = state.idle_elapsed;
        if let Some(place) = self.punctual.position(port) {
            self.fires.swap_remove(place);
            let (_, backlog) = self.punctual.swap_remove(place);
            return Estimate { backlog, since: self.since, idle_elapsed };
        }
        let place = self.late.iter().position(|late| late.port == port).expect("a contender");
        let Late { backlog, draw, .. } = self.late.swap_remove(place);
        Estimate { backlog, since: draw.since, idle_elapsed }
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
    pub fn first(&self) -> Time {
        let late = self.late.iter().map(|late| late.draw.fire);
        self.fires.iter().copied().chain(late).min().unwrap_or(Time::NEVER)
    }

    /// Those that fire before `sensed`, in order, with when they do.
    pub fn firing(&self, sensed: Time, firing: &mut Vec<(u32, Time)>) {
        firing.clear();
        for (&port, &fire) in self.punctual.ports.iter().zip(&self.fires) {
            if fire < sensed {
                firing.push((port, fire));
            }
        }
        let late = self.late.iter().filter(|late| late.draw.fire < sensed);
        firing.extend(late.map(|late| (late.port, late.draw.fire)));
        if firing.len() > 1 {
            firing.sort_by_key(|(port, _)| self.order.iter().position(|other| other == port));
        }
    }

    /// Brings all estimates across `span`; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules) -> u128 {
        let mut integral = self.punctual.lower(&Fall::waiting(self.since, span, rules));
        for late in &mut self.late {
            integral += Fall::waiting(late.draw.since, span, rules).lower(&mut late.backlog);
        }
        integral
    }

    /// Applies the delta backlog of a valid packet; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let cuts = self.punctual.apply(delta, cap);
        cuts + self.late.iter_mut().map(|late| u64::from(backlog::apply(&mut late.backlog, delta, cap))).sum::<u64>()
    }

    /// All believe `backlog`.
    pub fn agree_on(&mut self, backlog: u8) {
        self.punctual.backlogs.fill(backlog);
        self.late.iter_mut().for_each(|late| late.backlog = backlog);
    }

    /// A silence begins: all that were not taken draw. Tells when the first fires. A packet `heard` before
    /// it has restarted their idle timers.
    pub fn open(&mut self, now: Time, heard: bool, channel: &Channel, slots: &Slots, ports: &mut [Port]) -> Time {
        self.since = slots.random_from;
        for late in self.late.drain(..) {
            self.punctual.push(late.port, late.backlog);
        }
        self.fires.clear();
        let mut next = Time::NEVER;
        while let Some(&port) = self.punctual.ports.get(self.fires.len()) {
            let place = self.fires.len();
            let (state, backlog) = (&mut ports[port as usize], self.punctual.backlogs[place]);
            if heard {
                state.idle_elapsed = Duration::ZERO;
            }
            let draw = state.draw(now, backlog, channel, slots);
            next = next.min(draw.fire);
            if draw.since == self.since {
                self.fires.push(draw.fire);
            } else {
                self.punctual.swap_remove(place);
                self.late.push(Late { port, backlog, draw });
            }
        }
        next
    }

    /// The backlog of a station.
    pub fn backlog(&self, port: u32) -> u8 {
        let late = || self.late.iter().find(|late| late.port == port).map(|late| late.backlog);
        let punctual = self.punctual.position(port).map(|place| self.punctual.backlogs[place]);
        punctual.or_else(late).expect("a contender")
    }
}
