//! Stations and their ports as they run.

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_model::cpu::{Cpu, TimerInterrupts};
use sojourn_protocols::can::controller::{ErrorCounters, ErrorState, TransmitQueue};

use crate::datagram::Collected;
use crate::site::StationClass;

/// A port waits after a transmission, since it is error passive.
pub const SUSPENDED: u8 = 1;
/// A port is bus off.
pub const BUS_OFF: u8 = 2;
/// Its station has no power.
pub const NO_POWER: u8 = 4;

/// What a processor does, with the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Hands a frame to the transmit queue.
    Send(u32),
    /// Hands a received one to the application.
    Receive(u32),
    /// Hands a received one to another port.
    Forward(u32),
}

impl Job {
    /// The frame.
    pub const fn frame(self) -> u32 {
        match self {
            Job::Send(frame) | Job::Receive(frame) | Job::Forward(frame) => frame,
        }
    }
}

/// A station.
#[derive(Debug)]
pub struct Node {
    /// Its processor.
    pub cpu: Cpu<(Job, Duration)>,
    /// Received frames that wait for it.
    pub received: u32,
    /// Costs.
    pub stream: Stream,
}

clone_fields!([] Node { cpu, received, stream });
rekey_fields!(Node { stream });

impl Node {
    /// A station at rest.
    pub fn new(stream: Stream) -> Self {
        Node { cpu: Cpu::new(TimerInterrupts::default()), received: 0, stream }
    }
}

/// A port.
#[derive(Debug)]
pub struct Port {
    /// What it wants to send.
    pub queue: TransmitQueue,
    /// Errors.
    pub counters: ErrorCounters,
    /// Why it does not take part in arbitration.
    pub blocked: u8,
    /// Until when it is suspended.
    pub suspended_until: Time,
    /// Recessive sequences of its bus at which it is back after bus-off; none while its controller is not restarted.
    pub back_at: Option<u64>,
    /// When that is looked at; an event for another instant is void.
    pub recover_at: Time,
    /// Of an IP network, what it collects for a datagram.
    pub collected: Collected,
    /// Since when it is error passive or bus off.
    since: Time,
    /// Observed time for which it was.
    pub passive: Duration,
    /// How often it went bus off.
    pub times_off: u64,
}

clone_fields!([] Port {
    queue, counters, blocked, suspended_until, back_at, recover_at, collected, since, passive, times_off
});

impl Port {
    /// A port of a station.
    pub fn new(class: &StationClass) -> Self {
        Port {
            queue: TransmitQueue::new(class.discipline, class.room),
            counters: ErrorCounters::default(),
            blocked: 0,
            suspended_until: Time::ZERO,
            back_at: None,
            recover_at: Time::NEVER,
            collected: Collected::default(),
            since: Time::NEVER,
            passive: Duration::ZERO,
            times_off: 0,
        }
    }

    /// Its state was this before what happened to its counters at `now`.
    pub fn changed(&mut self, now: Time, before: ErrorState) {
        match (before, self.counters.state()) {
            (ErrorState::Active, ErrorState::Active) => {}
            (ErrorState::Active, _) => self.since = now,
            (_, ErrorState::Active) => self.settle(now, Time::NEVER),
            _ => {}
        }
        if before != ErrorState::BusOff && self.counters.state() == ErrorState::BusOff {
            self.times_off += 1;
        }
    }

    /// Counts the time that it was not error active up to `now`.
    fn settle(&mut self, now: Time, since: Time) {
        if self.since < now {
            self.passive += now.since(self.since);
        }
        self.since = since;
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self, now: Time) {
        if self.since != Time::NEVER {
            self.since = now;
        }
        (self.passive, self.times_off) = (Duration::ZERO, 0);
    }

    /// The share of observed time that it was not error active, at the end of a run.
    pub fn end(&mut self, now: Time) -> Duration {
        if self.since != Time::NEVER {
            self.settle(now, now);
        }
        self.passive
    }
}
