//! The medium: predictive p-persistent CSMA over all stations of a channel (ISO/IEC 14908-1 layer 2).
//!
//! One structure holds every station's access state. Between packets it knows who contends and when each
//! would fire, so that a contention is decided by one event however many slots pass and however many
//! stations listen: [`Medium::start`] when the first fires, [`Medium::end`] when the channel falls silent.
//! Stations that have only listened share one backlog estimate and cost nothing per packet.
//!
//! | file | concern |
//! |---|---|
//! | `conditions` | what media of one kind share |
//! | `busy` | who transmits, what is received, what the senders make of it |
//! | `silence` | a silence opens; stations begin to contend and stop |
//! | `contenders`, `listeners` | those with something to send and those without, and what they believe |
//! | `cohort` | those whose estimates decay alike |
//! | `punctual` | those of them that contend, and their slots |
//! | `slots` | the slots of a silence |
//! | `port` | one station's state |
//! | `tally` | totals |

mod backlog_group;
mod busy_period;
mod contenders;
mod counters;
mod idle_period;
mod listeners;
mod parameters;
mod port;
mod slots;
mod synced;

use std::hint::cold_path;
use std::sync::Arc;

use sojourn_core::{Stream, Time, prefetch};

use super::backlog::{Estimate, Span};
use contenders::{Contenders, Draw};
pub use counters::Tally;
use listeners::Listeners;
pub use parameters::Conditions;
pub use port::PortSettings;
use port::{Belief, Port};
use slots::Slots;

/// What the medium needs to know of the packet at the head of a station's queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// LPDU bytes with header and CRC.
    pub length: u16,
    /// Delta backlog, 0 to 63.
    pub delta: u8,
    /// Whether it travels in the priority queue.
    pub priority: bool,
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ended without a collision its sender noticed: the packet is off the queue.
    Sent,
    /// Its sender detected a collision and keeps the packet for another try.
    Detected,
    /// Its sender detected one collision too many and drops the packet.
    Dropped,
}

/// A transmission of the busy period that has just ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// The sender's port.
    pub port: u32,
    /// When it began.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// What was sent.
    pub head: Head,
    /// What its sender makes of it.
    pub fate: Fate,
}

/// How backlogs are kept: per station as in the standard, or simplified to check against closed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BacklogRule {
    /// Each station keeps its own.
    PerStation,
    /// All stations hold the estimate of the last sender (the usual assumption of Markov models).
    Consistent,
    /// The start value for ever.
    Fixed,
}

/// A channel and the access state of all its stations.
#[derive(Debug)]
pub struct Medium {
    conditions: Arc<Conditions>,
    stations: u64,
    ports: Vec<Port>,
    noise: Stream,
    listeners: Listeners,
    contenders: Contenders,
    transmissions: Vec<Transmission>,
    /// Those that sent in the last busy period, and what they believed at its end.
    senders: Vec<(u32, Estimate)>,
    slots: Slots,
    /// When all stations have sensed the present busy period; never while the channel is silent.
    sensed: Time,
    busy_since: Time,
    next: Time,
    tally: Tally,
    /// Up to when the tally's integral of backlogs goes, and all estimates are known.
    settled: Time,
    /// What stations whose belief began later than that would add to the integral before they held it.
    not_held: u64,
}

impl Medium {
    /// A silent channel with nobody on it. `noise` draws bit errors.
    pub fn new(conditions: Arc<Conditions>, noise: Stream) -> Self {
        let backlog_start = conditions.channel.backlog_start;
        Medium {
            conditions,
            stations: 0,
            ports: Vec::new(),
            noise,
            listeners: Listeners::new(Estimate::new(backlog_start)),
            contenders: Contenders::new(),
            transmissions: Vec::new(),
            senders: Vec::new(),
            slots: Slots::START,
            sensed: Time::NEVER,
            busy_since: Time::ZERO,
            next: Time::NEVER,
            tally: Tally { backlog_max: backlog_start, ..Tally::default() },
            settled: Time::ZERO,
            not_held: 0,
        }
    }

    /// Puts a station on the channel, where it listens. All stations must be on before time runs.
    pub fn enter(&mut self) {
        self.stations += 1;
    }

    /// Gives a station that has only listened so far a port to send by.
    pub fn attach(&mut self, settings: PortSettings) -> u32 {
        self.ports.push(Port::new(settings));
        self.ports.len() as u32 - 1
    }

    /// Asks for what every packet touches.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.conditions);
        prefetch(&self.contenders);
        prefetch(&self.listeners);
        prefetch(&self.slots);
        prefetch(&self.tally);
        self.transmissions.first().inspect(|sent| prefetch(*sent));
    }

    /// Asks for what a port holds.
    #[inline]
    pub fn prefetch_port(&self, port: u32) {
        self.ports.get(port as usize).inspect(|port| prefetch(*port));
    }

    /// What the owner of a port knows it by.
    #[inline]
    pub fn owner(&self, port: u32) -> u32 {
        self.ports[port as usize].owner
    }

    /// When the medium must next be driven: [`start`](Self::start) if it is silent, else [`end`](Self::end).
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// Whether a busy period is under way.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.sensed != Time::NEVER
    }

    /// Totals since the last [`reset_tally`](Self::reset_tally), backlogs up to the last packet's end.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Stations on the channel.
    pub fn stations(&self) -> u64 {
        self.stations
    }

    /// The backlog `port` holds, as of the last packet's end.
    pub fn backlog(&self, port: u32) -> u8 {
        let state = &self.ports[port as usize];
        match state.belief {
            Belief::Contending => self.contenders.backlog(port, state),
            _ => self.listeners.backlog(port, state),
        }
    }

    /// Begins counting anew at `now`.
    pub fn reset_tally(&mut self, now: Time) {
        self.settle_all(now);
        self.busy_since = now;
        self.tally = Tally { backlog_max: self.tally.backlog_max, ..Tally::default() };
    }

    /// Brings the tally's integrals to `now`.
    pub fn settle_all(&mut self, now: Time) {
        self.settle_backlogs(now);
        if self.is_busy() {
            self.tally.busy += now.since(self.busy_since);
            self.busy_since = now;
        }
    }

    /// Tells that `head` is now the packet `port` would send: its queue had been empty, or a priority packet
    /// has come before an ordinary one.
    pub fn offer(&mut self, now: Time, port: u32, head: Head) {
        let is_busy = self.is_busy();
        let state = &mut self.ports[port as usize];
        state.head = head;
        state.collisions = 0;
        if state.belief == Belief::Contending {
            cold_path();
            // once in its random phase, the new head is sent at the slot drawn for the old one
            if now < self.slots.random_from && !is_busy {
                self.draw_again(now, port);
            } else if !state.draws_with_others() {
                self.contenders.set_apart(port, &self.conditions.channel, &mut self.ports);
            }
            return;
        }
        let estimate = self.leave_listeners(now, port);
        let state = &mut self.ports[port as usize];
        if now >= self.sensed {
            self.contenders.push(port, estimate, Draw::HELD, state);
            return;
        }
        let draw = state.draw(now, estimate.backlog, &self.conditions.channel, &self.slots);
        if !is_busy {
            self.contenders.push(port, estimate, draw, state);
            self.next = self.next.min(draw.fire);
        } else if draw.fire < self.sensed {
            self.contenders.push(port, estimate, draw, state);
            self.transmissions.push(self.conditions.transmission(port, draw.fire, head));
            self.plan_end();
        } else {
            self.contenders.push(port, estimate, Draw::HELD, state);
        }
    }

    /// Tells that `port`'s queue has become empty without a transmission.
    pub fn withdraw(&mut self, now: Time, port: u32) {
        if self.ports[port as usize].belief == Belief::Contending && !self.transmits(port) {
            self.join_listeners(now, port);
        }
    }

    /// Whether `port` is transmitting.
    pub fn transmits(&self, port: u32) -> bool {
        self.is_busy() && self.transmissions.iter().any(|t| t.port == port)
    }

    /// The first contender fires, and with it all that fire before they could sense it.
    pub fn start(&mut self, now: Time) {
        debug_assert!(!self.is_busy() && self.next == now);
        self.sensed = now + self.conditions.channel.carrier_sense_latency;
        self.busy_since = now;
        self.begin_all();
        self.plan_end();
    }

    /// The channel falls silent. Returns which of the transmissions that overlapped, if any, all others
    /// received. Senders whose packet is off the queue must be offered their next one at once.
    pub fn end(&mut self, now: Time) -> Option<usize> {
        debug_assert!(self.is_busy() && self.next == now);
        let received = self.judge();
        self.tally.busy += now.since(self.busy_since);
        let span = self.span(now);
        self.conclude_senders(&span);
        self.conclude_others(&span, received);
        self.open_silence(now, received);
        received
    }

    /// The transmissions of the busy period that ended last.
    #[inline]
    pub fn ended(&self) -> &[Transmission] {
        debug_assert!(!self.is_busy());
        &self.transmissions
    }

    /// The time since estimates were last brought up to date.
    fn span(&self, now: Time) -> Span {
        Span { from: self.settled, now, stop: self.sensed }
    }
}

#[cfg(test)]
mod tests;
