//! The medium: predictive p-persistent CSMA over all stations of a channel (ISO/IEC 14908-1 layer 2).
//!
//! One structure holds the access state of all stations. Between packets it knows which stations contend and when
//! each would transmit, so a contention takes one event, regardless of the number of slots and of listening stations:
//! [`Medium::start`] when the first transmits, [`Medium::end`] at the end of the busy period. Stations that have only
//! listened share one backlog estimate and cost nothing per packet.
//!
//! | file | concern |
//! |---|---|
//! | `transmission` | packets offered, transmissions and their results |
//! | `parameters` | parameters that media of one type share |
//! | `busy_period` | transmissions, collisions, reception, the senders' backlog |
//! | `idle_period` | slots begin; stations start and stop to contend |
//! | `contenders`, `listeners` | stations with and without a packet to send, and their backlog estimates |
//! | `backlog_group` | stations whose estimates decay equally |
//! | `synced` | contending ones of those, and their slots |
//! | `slots` | the slots of an idle period |
//! | `port` | state of one station |
//! | `counters` | counters |

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
mod transmission;

use std::hint::cold_path;
use std::sync::Arc;

use sojourn_core::{Stream, Time, rekey_fields};

use super::backlog::{Estimate, Span};
use super::channel::Channel;
use contenders::Contenders;
pub use counters::Counters;
use listeners::Listeners;
pub use parameters::Parameters;
pub use port::PortSettings;
use port::{BacklogState, Port};
use slots::{Draw, Slots};
pub use transmission::{BacklogRule, Head, Transmission, TransmitResult};

/// A channel and the access state of all its stations.
#[derive(Clone, Debug)]
pub struct Medium {
    conditions: Arc<Parameters>,
    stations: u64,
    ports: Vec<Port>,
    noise: Stream,
    listeners: Listeners,
    contenders: Contenders,
    transmissions: Vec<Transmission>,
    /// Senders of the last busy period, and their estimates at its end.
    senders: Vec<(u32, Estimate)>,
    slots: Slots,
    /// When all stations have sensed the current busy period; never while the channel is idle.
    sensed: Time,
    busy_since: Time,
    next: Time,
    counters: Counters,
    /// When the estimates and the integral of backlogs were last updated.
    settled: Time,
    /// Share of estimates that began after that in the integral, before they began.
    not_counted: u64,
}

impl Medium {
    /// An idle channel without stations. `noise` is the random stream of bit errors.
    pub fn new(conditions: Arc<Parameters>, noise: Stream) -> Self {
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
            counters: Counters { backlog_max: backlog_start, ..Counters::default() },
            settled: Time::ZERO,
            not_counted: 0,
        }
    }

    /// Adds a listening station. All stations must be added before the run starts.
    pub fn enter(&mut self) {
        self.stations += 1;
    }

    /// Creates the port of a station that has only listened so far.
    pub fn attach(&mut self, settings: PortSettings) -> u32 {
        self.ports.push(Port::new(settings));
        self.ports.len() as u32 - 1
    }

    /// The caller's identifier of a port.
    #[inline]
    pub fn owner(&self, port: u32) -> u32 {
        self.ports[port as usize].owner
    }

    /// When the next event is due: [`start`](Self::start) if the medium is idle, else [`end`](Self::end).
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// Whether the medium is busy.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.sensed != Time::NEVER
    }

    /// Counters since the last [`reset_counters`](Self::reset_counters), backlogs up to the end of the last packet.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Stations on the channel.
    pub fn stations(&self) -> u64 {
        self.stations
    }

    /// The backlog estimate of `port`, as of the end of the last packet.
    pub fn backlog(&self, port: u32) -> u8 {
        let state = &self.ports[port as usize];
        match state.backlog_state {
            BacklogState::Contending => self.contenders.backlog(port, state),
            _ => self.listeners.backlog(port, state),
        }
    }

    /// Restarts counting at `now`.
    pub fn reset_counters(&mut self, now: Time) {
        self.settle_all(now);
        self.busy_since = now;
        self.counters = Counters { backlog_max: self.counters.backlog_max, ..Counters::default() };
    }

    /// Updates the integrals to `now`.
    pub fn settle_all(&mut self, now: Time) {
        self.settle_backlogs(now);
        if self.is_busy() {
            self.counters.busy += now.since(self.busy_since);
            self.busy_since = now;
        }
    }

    /// `head` is now the packet at the head of `port`'s queue: the queue was empty, or a priority packet has overtaken an
    /// ordinary one.
    pub fn offer(&mut self, now: Time, port: u32, head: Head) {
        let is_busy = self.is_busy();
        let state = &mut self.ports[port as usize];
        state.head = head;
        state.collisions = 0;
        if state.backlog_state == BacklogState::Contending {
            cold_path();
            // once in its random slots, the new head is sent in the slot drawn for the old one
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
            self.schedule_end();
        } else {
            self.contenders.push(port, estimate, Draw::HELD, state);
        }
    }

    /// The queue of `port` has become empty without a transmission.
    pub fn withdraw(&mut self, now: Time, port: u32) {
        if self.ports[port as usize].backlog_state == BacklogState::Contending && !self.transmits(port) {
            self.join_listeners(now, port);
        }
    }

    /// Whether `port` is transmitting.
    pub fn transmits(&self, port: u32) -> bool {
        self.is_busy() && self.transmissions.iter().any(|t| t.port == port)
    }

    /// The first contender transmits, and all others that transmit before they sense it.
    pub fn start(&mut self, now: Time) {
        debug_assert!(!self.is_busy() && self.next == now);
        self.sensed = now + self.conditions.channel.carrier_sense_latency;
        self.busy_since = now;
        self.start_transmissions();
        self.schedule_end();
    }

    /// The busy period ends. Returns which of the overlapping transmissions, if any, was received. The next packet of
    /// senders whose packet has left the queue must be offered at once.
    pub fn end(&mut self, now: Time) -> Option<usize> {
        debug_assert!(self.is_busy() && self.next == now);
        let received = self.evaluate();
        self.counters.busy += now.since(self.busy_since);
        let span = self.span(now);
        self.update_senders(&span);
        self.update_others(&span, received);
        self.begin_idle_period(now, received);
        received
    }

    /// The bit error rate from now on, for packets that end from now on.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        let Parameters { channel, rule, .. } = &*self.conditions;
        let channel = Channel { bit_error_rate: rate, ..channel.clone() };
        self.conditions = Arc::new(Parameters::new(channel, *rule));
    }

    /// A station that has nothing to send resets: its backlog estimate is that of power-up.
    pub fn reset_port(&mut self, now: Time, port: u32) {
        self.restart_estimate(now, port);
    }

    /// The transmissions of the busy period that ended last.
    #[inline]
    pub fn ended(&self) -> &[Transmission] {
        debug_assert!(!self.is_busy());
        &self.transmissions
    }

    /// The time since the last update of the estimates.
    fn span(&self, now: Time) -> Span {
        Span { from: self.settled, now, stop: self.sensed }
    }
}

rekey_fields!(Medium { ports, noise, contenders });

#[cfg(test)]
mod tests;
