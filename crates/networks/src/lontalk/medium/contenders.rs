//! Stations with something to send, and when each would fire.

use sojourn_core::{Duration, Time};

use super::Transmission;
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

    /// Hands over those that fire before `sensed`, and when they do.
    pub fn firing(&self, sensed: Time, mut each: impl FnMut(u32, Time)) {
        for (place, &fire) in self.fires.iter().enumerate() {
            if fire < sensed {
                each(self.punctual.ports()[place], fire);
            }
        }
        for late in self.late.iter().filter(|late| late.draw.fire < sensed) {
            each(late.port, late.draw.fire);
        }
    }

    /// Puts transmissions that overlap in the order in which they are told.
    pub fn arrange(&self, transmissions: &mut [Transmission]) {
        if transmissions.len() > 1 {
            transmissions.sort_by_key(|sent| self.order.iter().position(|&port| port == sent.port));
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
        self.punctual.agree_on(backlog);
        self.late.iter_mut().for_each(|late| late.backlog = backlog);
    }

    /// A silence begins: all that were not taken draw. Tells when the first fires. A packet `heard` before
    /// it has restarted their idle timers.
    pub fn open(&mut self, now: Time, heard: bool, channel: &Channel, slots: &Slots, ports: &mut [Port]) -> Time {
        let Self { punctual, fires, late, .. } = self;
        let since = slots.random_from;
        self.since = since;
        late.drain(..).for_each(|late| punctual.push(late.port, late.backlog));
        fires.resize(punctual.len(), Time::NEVER);
        let mut next = Time::NEVER;
        for ((port, backlog), fire) in punctual.iter().zip(fires) {
            let state = &mut ports[port as usize];
            if heard {
                state.idle_elapsed = Duration::ZERO;
            }
            *fire = if state.is_punctual() {
                state.draw_slot(since, backlog, channel)
            } else {
                let draw = state.draw_apart(now, backlog, channel, slots);
                if draw.since != since {
                    late.push(Late { port, backlog, draw });
                }
                draw.fire
            };
            next = next.min(*fire);
        }
        if !self.late.is_empty() {
            self.part();
        }
        next
    }

    /// Takes the late out from among the punctual.
    #[cold]
    fn part(&mut self) {
        for late in &self.late {
            let place = self.punctual.position(late.port).expect("one that drew with the others");
            self.punctual.swap_remove(place);
            self.fires.swap_remove(place);
        }
    }

    /// The backlog of a station.
    pub fn backlog(&self, port: u32) -> u8 {
        let late = || self.late.iter().find(|late| late.port == port).map(|late| late.backlog);
        let punctual = self.punctual.position(port).map(|place| self.punctual.backlog(place));
        punctual.or_else(late).expect("a contender")
    }
}
