//! The medium: predictive p-persistent CSMA over all stations of a channel (ISO/IEC 14908-1 layer 2).
//!
//! One structure holds every station's access state. Between packets it knows who contends and when each
//! would fire, so that a contention is decided by one event however many slots pass and however many
//! stations listen: [`Medium::start`] when the first fires, [`Medium::end`] when the channel falls silent.
//! Stations that have only listened share one backlog estimate and cost nothing per packet.

use sojourn_core::{Duration, Stream, Time};

use super::backlog::{Decay, Estimate, Rules};
use super::channel::{Channel, CollisionAbort};

/// Collisions after which a packet may no longer use its station's priority slot.
const PRIORITY_COLLISION_LIMIT: u8 = 1;

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

/// A station as the medium is told of it.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// Its priority slot, from 1; 0 for none.
    pub priority_slot: u8,
    /// Whether its transceiver detects collisions.
    pub collision_detection: bool,
    /// Draws its slots.
    pub stream: Stream,
    /// How late its slots lie.
    pub skew: Duration,
}

/// Totals since the last reset.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Packets received correctly.
    pub correct: u64,
    /// LPDU bytes of those.
    pub bytes: u64,
    /// Groups of overlapping packets, each one CRC error at an analyser.
    pub collisions: u64,
    /// Lone packets spoilt by bit errors.
    pub corrupted: u64,
    /// Time the channel carried signals.
    pub busy: Duration,
    /// Integral of all stations' backlogs over time, in picoseconds.
    pub backlog: u128,
    /// Largest backlog any station held.
    pub backlog_max: u8,
    /// Rises of a backlog that its cap cut.
    pub backlog_overflows: u64,
    /// Packets dropped after too many collisions.
    pub dropped: u64,
}

/// The slots of a silence, counted from the end of the busy period before it.
#[derive(Clone, Copy, Debug)]
struct Slots {
    /// End of Beta1: where the first priority slot begins.
    priority_from: Time,
    /// Where the random slots begin.
    random_from: Time,
    /// Where they begin for those that sent in the last busy period: with priority slots on the channel they sit
    /// out some more (fairness).
    senders_from: Time,
    /// Whether the last packet was valid.
    after_valid: bool,
}

#[derive(Clone, Debug)]
struct Port {
    estimate: Estimate,
    fire: Time,
    head: Head,
    /// Collisions of the head packet.
    collisions: u8,
    priority_slot: u8,
    collision_detection: bool,
    /// Something to send.
    pending: bool,
    /// Holds an estimate of its own, not the listeners'.
    diverged: bool,
    /// Sent in the last busy period.
    own: bool,
}

/// A channel and the access state of all its stations.
#[derive(Debug)]
pub struct Medium {
    channel: Channel,
    rules: Rules,
    rule: BacklogRule,
    wire_times: Vec<Duration>,
    ports: Vec<Port>,
    streams: Vec<Stream>,
    skews: Vec<Duration>,
    noise: Stream,
    /// The estimate of every port that is not diverged.
    listeners: Estimate,
    diverged: Vec<u32>,
    contenders: Vec<u32>,
    transmissions: Vec<Transmission>,
    last_senders: Vec<u32>,
    slots: Slots,
    /// When all stations have sensed the present busy period; never while the channel is silent.
    sensed: Time,
    busy_since: Time,
    next: Time,
    tally: Tally,
}

impl Medium {
    /// A silent channel with nobody on it. `noise` draws bit errors.
    pub fn new(channel: Channel, rule: BacklogRule, noise: Stream) -> Self {
        let decay = |period| if rule == BacklogRule::Fixed { Duration::MAX } else { period };
        let (idle, waiting) = (decay(channel.idle_timer), decay(channel.beta2.times(u64::from(channel.base_window))));
        let rules = Rules { idle, waiting, cap: channel.backlog_cap };
        Medium {
            rules,
            rule,
            wire_times: channel.wire_times(),
            ports: Vec::new(),
            streams: Vec::new(),
            skews: Vec::new(),
            noise,
            listeners: Estimate::new(channel.backlog_start),
            diverged: Vec::new(),
            contenders: Vec::new(),
            transmissions: Vec::new(),
            last_senders: Vec::new(),
            slots: Slots {
                priority_from: Time::ZERO,
                random_from: Time::ZERO,
                senders_from: Time::ZERO,
                after_valid: true,
            },
            sensed: Time::NEVER,
            busy_since: Time::ZERO,
            next: Time::NEVER,
            tally: Tally { backlog_max: channel.backlog_start, ..Tally::default() },
            channel,
        }
    }

    /// Puts a station on the channel and returns its port. All stations must be on before time runs.
    pub fn attach(&mut self, settings: PortSettings) -> u32 {
        self.ports.push(Port {
            estimate: self.listeners,
            fire: Time::NEVER,
            head: Head::default(),
            collisions: 0,
            priority_slot: settings.priority_slot,
            collision_detection: settings.collision_detection,
            pending: false,
            diverged: false,
            own: false,
        });
        self.streams.push(settings.stream);
        self.skews.push(settings.skew);
        self.ports.len() as u32 - 1
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

    /// The time a packet of `length` bytes takes on the wire.
    #[inline]
    pub fn wire_time(&self, length: u16) -> Duration {
        self.wire_times[usize::from(length)]
    }

    /// Totals since the last [`reset_tally`](Self::reset_tally), backlogs up to the last packet's end.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Stations on the channel.
    pub fn stations(&self) -> usize {
        self.ports.len()
    }

    /// The backlog `port` holds, as of the last time it was settled.
    pub fn backlog(&self, port: u32) -> u8 {
        let port = &self.ports[port as usize];
        if port.diverged { port.estimate.backlog } else { self.listeners.backlog }
    }

    /// Begins counting anew at `now`.
    pub fn reset_tally(&mut self, now: Time) {
        self.settle_all(now);
        self.busy_since = now;
        self.tally = Tally { backlog_max: self.tally.backlog_max, ..Tally::default() };
    }

    /// Brings the tally's integrals to `now`.
    pub fn settle_all(&mut self, now: Time) {
        let stop = self.sensed;
        let shared = (self.ports.len() - self.diverged.len()) as u128;
        let common = shared * u128::from(self.listeners.settle(now, stop, &self.rules));
        let mut own = 0;
        for &port in &self.diverged {
            own += self.ports[port as usize].estimate.settle(now, stop, &self.rules);
        }
        self.tally.backlog += common + u128::from(own);
        if self.is_busy() {
            self.tally.busy += now.since(self.busy_since);
            self.busy_since = now;
        }
    }

    /// Tells that `head` is now the packet `port` would send: its queue had been empty, or a priority packet
    /// has come before an ordinary one.
    pub fn offer(&mut self, now: Time, port: u32, head: Head) {
        let state = &mut self.ports[port as usize];
        state.head = head;
        state.collisions = 0;
        if state.pending {
            // once in its random phase, the new head is sent at the slot drawn for the old one
            if now < self.slots.random_from && !self.is_busy() {
                self.draw(now, port);
                self.earliest();
            }
            return;
        }
        state.pending = true;
        self.contenders.push(port);
        self.diverge(now, port);
        if now >= self.sensed {
            self.hold(port);
            return;
        }
        let fire = self.draw(now, port);
        if !self.is_busy() {
            self.next = self.next.min(fire);
        } else if fire < self.sensed {
            self.begin(port);
            self.plan_end();
        } else {
            self.hold(port);
        }
    }

    /// Tells that `port`'s queue has become empty without a transmission.
    pub fn withdraw(&mut self, now: Time, port: u32) {
        if !self.ports[port as usize].pending || self.transmits(port) {
            return;
        }
        let state = &mut self.ports[port as usize];
        self.tally.backlog += u128::from(state.estimate.settle(now, self.sensed, &self.rules));
        state.pending = false;
        state.fire = Time::NEVER;
        state.estimate.decay = Decay::Idle;
        let from = self.slots.random_from(state);
        state.estimate.since = now.max(from + self.skews[port as usize]);
        self.contenders.retain(|&other| other != port);
        self.earliest();
    }

    /// Whether `port` is transmitting.
    pub fn transmits(&self, port: u32) -> bool {
        self.is_busy() && self.transmissions.iter().any(|t| t.port == port)
    }

    /// The first contender fires, and with it all that fire before they could sense it.
    pub fn start(&mut self, now: Time) {
        debug_assert!(!self.is_busy() && self.next == now);
        self.sensed = now + self.channel.carrier_sense_latency;
        self.busy_since = now;
        self.transmissions.clear();
        for index in 0..self.contenders.len() {
            let port = self.contenders[index];
            if self.ports[port as usize].fire < self.sensed {
                self.begin(port);
            }
        }
        self.plan_end();
    }

    /// The channel falls silent. Returns the transmissions that overlapped and which of them, if any, all
    /// others received. Senders whose packet is off the queue must be offered their next one at once.
    pub fn end(&mut self, now: Time) -> Option<usize> {
        debug_assert!(self.is_busy() && self.next == now);
        let received = self.judge();
        self.slots = Slots::after(now, &self.channel, received.is_some());
        for port in self.last_senders.drain(..) {
            self.ports[port as usize].own = false;
        }
        self.tally.busy += now.since(self.busy_since);
        self.conclude_senders(now);
        self.conclude_listeners(now, received);
        self.open_silence(now, received);
        received
    }

    /// The transmissions of the busy period that ended last.
    #[inline]
    pub fn ended(&self) -> &[Transmission] {
        debug_assert!(!self.is_busy());
        &self.transmissions
    }

    /// Whether the transmission overlapped no other, or survived by capture, and no bit was spoilt.
    fn judge(&mut self) -> Option<usize> {
        let survivor = match self.transmissions.as_slice() {
            [_] => Some(0),
            several => {
                self.tally.collisions += 1;
                let first = (0..several.len()).min_by_key(|&i| several[i].start)?;
                let alone = several.iter().filter(|t| t.start == several[first].start).count() == 1;
                (self.channel.capture && alone).then_some(first)
            }
        }?;
        if self.channel.bit_error_rate > 0.0 {
            let bits = self.channel.wire_bits(u64::from(self.transmissions[survivor].head.length));
            let intact = libm::exp(bits as f64 * libm::log1p(-self.channel.bit_error_rate));
            if self.noise.unit() >= intact {
                self.tally.corrupted += u64::from(self.transmissions.len() == 1);
                return None;
            }
        }
        self.tally.correct += 1;
        self.tally.bytes += u64::from(self.transmissions[survivor].head.length);
        Some(survivor)
    }

    /// What each sender believes, and what it does with its packet.
    fn conclude_senders(&mut self, now: Time) {
        let Self { ports, transmissions, tally, rules, .. } = self;
        let lone = transmissions.len() == 1;
        let stop = self.sensed;
        for transmission in transmissions {
            let state = &mut ports[transmission.port as usize];
            tally.backlog += u128::from(state.estimate.settle(now, stop, rules));
            state.own = true;
            self.last_senders.push(transmission.port);
            let detects = !lone && state.collision_detection;
            let cut = match (self.rule, detects) {
                (BacklogRule::Fixed, _) => false,
                (_, true) => state.estimate.collide(rules.cap),
                (_, false) => state.estimate.apply(transmission.head.delta, rules.cap),
            };
            tally.backlog_overflows += u64::from(cut);
            tally.backlog_max = tally.backlog_max.max(state.estimate.backlog);
            state.collisions += u8::from(detects);
            transmission.fate = match detects {
                false => Fate::Sent,
                true if state.collisions >= self.channel.collision_limit => Fate::Dropped,
                true => Fate::Detected,
            };
            tally.dropped += u64::from(transmission.fate == Fate::Dropped);
            if transmission.fate != Fate::Detected {
                state.pending = false;
                state.fire = Time::NEVER;
                let place = self.contenders.iter().position(|&other| other == transmission.port);
                self.contenders.swap_remove(place.expect("a sender contends"));
            }
        }
    }

    /// What those believe that share the listeners' estimate.
    fn conclude_listeners(&mut self, now: Time, received: Option<usize>) {
        let listeners = (self.ports.len() - self.diverged.len()) as u64;
        let integral = self.listeners.settle(now, self.sensed, &self.rules);
        self.tally.backlog += u128::from(listeners) * u128::from(integral);
        if let Some(index) = received.filter(|_| self.rule != BacklogRule::Fixed) {
            let cut = self.listeners.apply(self.transmissions[index].head.delta, self.rules.cap);
            self.tally.backlog_overflows += u64::from(cut) * listeners;
            self.tally.backlog_max = self.tally.backlog_max.max(self.listeners.backlog);
        }
        if self.rule == BacklogRule::Consistent {
            self.listeners.backlog = self.ports[self.transmissions[0].port as usize].estimate.backlog;
        }
        self.listeners.since = self.slots.random_from;
    }

    /// Begins a silence at `now`: all others with an estimate of their own bring it up to date and, if they have
    /// a packet, draw; those that agree with the listeners again join them.
    fn open_silence(&mut self, now: Time, received: Option<usize>) {
        let Self { ports, streams, skews, diverged, listeners, channel, slots, rules, rule, tally, .. } = self;
        let heard = received.map(|index| self.transmissions[index].head.delta);
        let heard = heard.filter(|_| *rule != BacklogRule::Fixed);
        let (stop, mut integral, mut cuts, mut next, mut index) = (self.sensed, 0, 0, Time::NEVER, 0);
        while index < diverged.len() {
            let port = diverged[index] as usize;
            let state = &mut ports[port];
            if !state.own {
                integral += state.estimate.settle(now, stop, rules);
                if let Some(delta) = heard {
                    cuts += u64::from(state.estimate.apply(delta, rules.cap));
                }
            }
            if *rule == BacklogRule::Consistent {
                state.estimate.backlog = listeners.backlog;
            }
            if state.pending {
                state.draw(now, channel, slots, skews[port], &mut streams[port]);
                next = next.min(state.fire);
            } else {
                state.estimate.decay = Decay::Idle;
                state.estimate.since = slots.random_from(state) + skews[port];
                if state.estimate == *listeners {
                    state.diverged = false;
                    diverged.swap_remove(index);
                    continue;
                }
            }
            index += 1;
        }
        tally.backlog += u128::from(integral);
        tally.backlog_overflows += cuts;
        self.sensed = Time::NEVER;
        self.next = next;
    }

    /// Lets `port` choose when it fires, if the channel stays silent.
    fn draw(&mut self, now: Time, port: u32) -> Time {
        let place = port as usize;
        let Self { ports, streams, skews, channel, slots, .. } = self;
        ports[place].draw(now, channel, slots, skews[place], &mut streams[place]);
        ports[place].fire
    }

    /// Gives `port` an estimate of its own, equal to the listeners' at `now`.
    fn diverge(&mut self, now: Time, port: u32) {
        let stop = self.sensed;
        if self.ports[port as usize].diverged {
            let state = &mut self.ports[port as usize];
            self.tally.backlog += u128::from(state.estimate.settle(now, stop, &self.rules));
            return;
        }
        let shared = (self.ports.len() - self.diverged.len()) as u128;
        self.tally.backlog += shared * u128::from(self.listeners.settle(now, stop, &self.rules));
        let state = &mut self.ports[port as usize];
        state.estimate = self.listeners;
        state.diverged = true;
        self.diverged.push(port);
    }

    fn hold(&mut self, port: u32) {
        let state = &mut self.ports[port as usize];
        state.fire = Time::NEVER;
        state.estimate.decay = Decay::None;
    }

    fn begin(&mut self, port: u32) {
        let Port { fire, head, .. } = self.ports[port as usize];
        let end = fire + self.wire_time(head.length);
        self.transmissions.push(Transmission { port, start: fire, end, head, fate: Fate::Sent });
    }

    /// When the busy period ends, given who transmits and who would abort.
    fn plan_end(&mut self) {
        if self.transmissions.len() > 1 && self.channel.collision_abort != CollisionAbort::Never {
            let preamble = self.channel.bits(self.channel.preamble_bits);
            for t in &mut self.transmissions {
                if self.ports[t.port as usize].collision_detection {
                    let abort = match self.channel.collision_abort {
                        CollisionAbort::EndOfPreamble => (t.start + preamble).max(self.sensed),
                        _ => self.sensed,
                    };
                    t.end = t.end.min(abort);
                }
            }
        }
        self.next = self.transmissions.iter().map(|t| t.end).max().unwrap_or(Time::NEVER);
    }

    /// Finds who fires first in the present silence.
    fn earliest(&mut self) {
        if !self.is_busy() {
            let fires = self.contenders.iter().map(|&port| self.ports[port as usize].fire);
            self.next = fires.min().unwrap_or(Time::NEVER);
        }
    }
}

impl Slots {
    /// The slots after a busy period that ended at `now`.
    fn after(now: Time, channel: &Channel, after_valid: bool) -> Self {
        let priority_from = now + channel.beta1;
        let random_from = priority_from + channel.beta2.times(u64::from(channel.priority_slots));
        let pause = if channel.priority_slots > 0 { channel.post_transmission_pause } else { 0 };
        let senders_from = random_from + channel.beta2.times(u64::from(pause));
        Slots { priority_from, random_from, senders_from, after_valid }
    }

    /// Where the random slots of `port` begin.
    #[inline(always)]
    fn random_from(&self, port: &Port) -> Time {
        if port.own { self.senders_from } else { self.random_from }
    }
}

impl Port {
    /// Chooses when to fire, if the channel stays silent.
    #[inline(always)]
    fn draw(&mut self, now: Time, channel: &Channel, slots: &Slots, skew: Duration, stream: &mut Stream) {
        if self.head.priority
            && let Some(fire) = self.priority_fire(now, channel, slots, skew)
        {
            self.fire = fire;
            self.estimate.decay = Decay::None;
            return;
        }
        let base = now.max(slots.random_from(self) + skew);
        let slot = stream.below(u32::from(self.estimate.backlog) * channel.base_window);
        self.fire = base + channel.beta2.times(u64::from(slot));
        self.estimate.decay = Decay::Waiting;
        self.estimate.since = base;
    }

    /// When a priority packet may be sent in its station's slot, if it may.
    fn priority_fire(&self, now: Time, channel: &Channel, slots: &Slots, skew: Duration) -> Option<Time> {
        let from = slots.priority_from + skew;
        let entitled = self.priority_slot >= 1
            && u32::from(self.priority_slot) <= channel.priority_slots
            && !self.own
            && self.collisions <= PRIORITY_COLLISION_LIMIT
            && (slots.after_valid || !channel.priority_needs_crc)
            && slots.priority_from > Time::ZERO;
        let slot = from + channel.beta2.times(u64::from(self.priority_slot.max(1)) - 1);
        let in_time = if channel.late_priority_upgrade { now <= slot } else { now < from };
        (entitled && in_time).then_some(slot)
    }
}

#[cfg(test)]
#[path = "medium_tests.rs"]
mod tests;
