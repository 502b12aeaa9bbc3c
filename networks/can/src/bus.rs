//! A bus as it runs.

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_protocols::can::controller::{Entry, RECESSIVE_BITS};

use crate::offers::Offers;
use crate::site::MediumSettings;

/// What is on the bus.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// Nothing, since then.
    Idle(Time),
    /// A frame.
    Sending(Transmission),
    /// Recessive bits after a frame or an error.
    Intermission,
}

/// A frame on the bus.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// Its port, by number among those of the bus.
    pub port: u32,
    /// The frame.
    pub entry: Entry,
    /// Another with the same identifier.
    pub twin: Option<(u32, Entry)>,
    /// What becomes of it.
    pub end: End,
}

/// How a transmission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All nodes have it.
    Received,
    /// An error is found.
    Error,
    /// no node acknowledges it.
    NotAcknowledged,
}

/// What was last on the bus: those who waited meanwhile know for what.
#[derive(Clone, Copy, Debug)]
pub struct Last {
    /// The port.
    pub port: u32,
    /// Its priority.
    pub priority: u32,
    /// Whether it was destroyed.
    pub is_error: bool,
}

/// What is counted of a bus, after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Frames that all nodes received.
    pub frames: u64,
    /// Their data bytes.
    pub bytes: u64,
    /// Error frames.
    pub errors: u64,
    /// Times that a node lost arbitration.
    pub losses: u64,
    /// Time that it was not idle.
    pub busy: Duration,
    /// Time that it would have been busy with as many stuff bits as frames can have.
    pub worst: Duration,
    /// Frames that waited, times the picoseconds.
    pub area: u128,
    /// Most frames that waited, from time 0 on.
    pub most: u64,
}

/// A bus.
#[derive(Debug)]
pub struct Bus {
    /// What its ports offer.
    pub offers: Offers,
    /// What is on it.
    pub state: State,
    /// When its event is due; one for another instant is void.
    pub due: Time,
    /// What was last on it.
    pub last: Last,
    /// Sequences of recessive bits so far, without those of the idle time that lasts.
    pub sequences: u64,
    /// Nodes that acknowledge.
    pub acknowledging: u32,
    /// Nodes that are bus off.
    pub off: u32,
    /// Whether the line is up.
    pub is_up: bool,
    /// Bit error rate.
    pub bit_error_rate: f64,
    /// Bits until the next error, if there are any.
    pub bits_to_error: u64,
    /// Whether a node has counted errors.
    pub has_errors: bool,
    /// Frames of probes that wait.
    pub probes: Vec<u32>,
    /// Frames that wait.
    pub waiting: u64,
    since: Time,
    /// What is counted.
    pub counters: Counters,
    /// Since when it is busy, or observed.
    pub busy_from: Time,
    /// Errors.
    pub stream: Stream,
}

clone_fields!([] Bus {
    offers, state, due, last, sequences, acknowledging, off, is_up, bit_error_rate, bits_to_error, has_errors, probes, waiting,
    since, counters, busy_from, stream
});
rekey_fields!(Bus { stream });

impl Bus {
    /// An idle bus.
    pub fn new(settings: &MediumSettings, acknowledging: u32, stream: Stream) -> Self {
        let mut bus = Bus {
            offers: Offers::new(settings.ports[1] as usize),
            state: State::Idle(Time::ZERO),
            due: Time::NEVER,
            last: Last { port: u32::MAX, priority: 0, is_error: false },
            sequences: 0,
            acknowledging,
            off: 0,
            is_up: true,
            bit_error_rate: 0.0,
            bits_to_error: u64::MAX,
            has_errors: false,
            probes: Vec::new(),
            waiting: 0,
            since: Time::ZERO,
            counters: Counters::default(),
            busy_from: Time::ZERO,
            stream,
        };
        bus.set_bit_error_rate(settings.bit_error_rate);
        bus
    }

    /// Bits are wrong at this rate from now on.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        self.bit_error_rate = rate;
        self.draw_error();
    }

    /// Draws how many bits are right before the next one that is wrong.
    pub fn draw_error(&mut self) {
        self.bits_to_error = match self.bit_error_rate {
            rate if rate > 0.0 => libm::floor(libm::log(self.stream.unit()) / libm::log1p(-rate)) as u64,
            _ => u64::MAX,
        };
    }

    /// The number of waiting frames changes at `now`.
    #[inline]
    pub fn wait(&mut self, now: Time, waiting: u64) {
        self.counters.area += u128::from(self.waiting) * u128::from(now.since(self.since).picoseconds());
        (self.waiting, self.since) = (waiting, now);
        self.counters.most = self.counters.most.max(waiting);
    }

    /// Sequences of recessive bits up to `now`.
    pub fn sequences_at(&self, now: Time, settings: &MediumSettings) -> u64 {
        let idle = match self.state {
            State::Idle(since) => now.since(since).whole(settings.bits.nominal(RECESSIVE_BITS as u16)),
            _ => 0,
        };
        self.sequences + idle
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self, now: Time) {
        self.wait(now, self.waiting);
        let most = self.counters.most;
        self.counters = Counters { most, ..Counters::default() };
        self.busy_from = now;
    }

    /// The time up to `now` counts as busy.
    #[inline]
    pub fn count_busy(&mut self, now: Time) {
        self.counters.busy += now.since(self.busy_from);
        self.busy_from = now;
    }

    /// All counts, at the end of a run.
    pub fn end(&mut self, now: Time) -> Counters {
        self.wait(now, self.waiting);
        if !matches!(self.state, State::Idle(_)) {
            self.count_busy(now);
        }
        self.counters
    }
}
