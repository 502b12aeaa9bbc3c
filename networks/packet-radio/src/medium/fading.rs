//! Two-state fading of the paths between members (Gilbert, BSTJ 39, 1960; Elliott, BSTJ 42, 1963).
//!
//! A path is good or bad for exponential times, each with a bit error rate of its own. Half-duplex members share a frequency
//! and so the state of the path between them, by reciprocity; full-duplex ones have one for each direction. Paths fade
//! independently of each other.
//!
//! The state is advanced to the start of each frame and through it. An unused path draws nothing: its state after a
//! gap follows from the transition probability of the chain.

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Stream, Time, rekey_fields};
use sojourn_engine::sample::{exponential, standard_exponential};

use super::settings::ChannelSettings;

/// Fading of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FadingSettings {
    /// Bit error rate in the bad state, 0 to below 1; that of the good one is the channel's.
    pub bit_error_rate: f64,
    /// Mean time in the good state and in the bad one, more than zero.
    pub means: [Duration; 2],
}

/// The paths of a channel whose members fade.
#[derive(Clone, Debug)]
pub struct Fading {
    settings: FadingSettings,
    bit_rate: u64,
    /// Bit errors a second on air, in the good state and in the bad one.
    hazards: [f64; 2],
    members: u32,
    /// Whether each direction has a path of its own.
    directed: bool,
    paths: Vec<Path>,
}

/// A path between two members.
#[derive(Clone, Debug)]
struct Path {
    bad: bool,
    /// When the state ends, as far as it is known.
    until: Time,
    /// What is left of the standard exponential that the integral of the hazard must reach for a bit error.
    left: f64,
    stream: Stream,
}

impl Fading {
    /// The paths between `members`, each in a state drawn from the chain's stationary distribution; `stream` is that of the
    /// path between two.
    pub fn new(
        settings: FadingSettings,
        channel: &ChannelSettings,
        members: u32,
        directed: bool,
        stream: impl Fn(u32, u32) -> Stream,
    ) -> Self {
        assert!((0.0..1.0).contains(&settings.bit_error_rate), "a bit error rate is 0 to below 1");
        assert!(settings.means.iter().all(|mean| *mean > Duration::ZERO), "a state lasts");
        let bad_share = bad_share(&settings);
        let path = |(one, other)| {
            let mut stream = stream(one, other);
            let bad = stream.unit() < bad_share;
            let until = Time::ZERO + exponential(&mut stream, settings.means[usize::from(bad)]);
            Path { bad, until, left: standard_exponential(&mut stream), stream }
        };
        let first = |other| if directed { 0..members } else { 0..other };
        let paths = (0..members).flat_map(|other| first(other).map(move |one| (one, other))).map(path).collect();
        let hazards = [channel.bit_error_rate, settings.bit_error_rate].map(|rate| hazard(rate, channel.bit_rate));
        Fading { settings, bit_rate: channel.bit_rate, hazards, members, directed, paths }
    }

    /// The bit error rate of the good state from now on.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        self.hazards[0] = hazard(rate, self.bit_rate);
    }

    /// Whether a frame from `sender` that is on air from `start` to `end` has a bit error at `listener`.
    pub fn hit(&mut self, listener: u32, sender: u32, [start, end]: [Time; 2]) -> bool {
        let place = self.place(listener, sender);
        let (settings, hazards, path) = (&self.settings, &self.hazards, &mut self.paths[place]);
        path.advance(start, settings);
        let mut from = start;
        loop {
            let to = path.until.min(end);
            path.left -= hazards[usize::from(path.bad)] * to.since(from).seconds();
            if path.until >= end {
                break;
            }
            (from, path.bad) = (to, !path.bad);
            path.until = to + exponential(&mut path.stream, settings.means[usize::from(path.bad)]);
        }
        if path.left > 0.0 {
            return false;
        }
        path.left = standard_exponential(&mut path.stream);
        true
    }

    /// Calls `is_lost` with each bit error at `listener` of a frame from `sender` that is on air from `start` to `end`, by the
    /// time since `start`, until one is too many; whether one is.
    pub fn each(
        &mut self,
        listener: u32,
        sender: u32,
        [start, end]: [Time; 2],
        mut is_lost: impl FnMut(Duration) -> bool,
    ) -> bool {
        let place = self.place(listener, sender);
        let (settings, hazards, path) = (&self.settings, &self.hazards, &mut self.paths[place]);
        path.advance(start, settings);
        let (mut from, mut lost) = (start, false);
        loop {
            let to = path.until.min(end);
            let hazard = hazards[usize::from(path.bad)];
            let mut whole = hazard * to.since(from).seconds();
            while path.left < whole {
                let picoseconds = path.left / hazard * PICOSECONDS_PER_SECOND as f64;
                from = to.min(from + Duration::from_picoseconds(picoseconds as u64));
                path.left = standard_exponential(&mut path.stream);
                lost = lost || is_lost(from.since(start));
                whole = hazard * to.since(from).seconds();
            }
            path.left -= whole;
            if path.until >= end {
                return lost;
            }
            (from, path.bad) = (to, !path.bad);
            path.until = to + exponential(&mut path.stream, settings.means[usize::from(path.bad)]);
        }
    }

    fn place(&self, listener: u32, sender: u32) -> usize {
        let (one, other) = (sender as usize, listener as usize);
        if self.directed {
            return other * self.members as usize + one;
        }
        let (low, high) = (one.min(other), one.max(other));
        high * (high - 1) / 2 + low
    }
}

impl Path {
    /// The state at `now`, by the transition probability from the last known one.
    fn advance(&mut self, now: Time, settings: &FadingSettings) {
        if now < self.until {
            return;
        }
        // at `until` the state changed
        let bad_share = bad_share(settings);
        let rate: f64 = settings.means.iter().map(|mean| 1.0 / mean.seconds()).sum();
        let memory = libm::exp(-rate * now.since(self.until).seconds());
        let was = if self.bad { 0.0 } else { 1.0 };
        self.bad = self.stream.unit() < bad_share + (was - bad_share) * memory;
        self.until = now + exponential(&mut self.stream, settings.means[usize::from(self.bad)]);
    }
}

/// The share of time that a path is bad.
fn bad_share(settings: &FadingSettings) -> f64 {
    let [good, bad] = settings.means.map(Duration::seconds);
    bad / (good + bad)
}

/// Bit errors a second on air.
fn hazard(bit_error_rate: f64, bit_rate: u64) -> f64 {
    -libm::log1p(-bit_error_rate) * bit_rate as f64
}

rekey_fields!(Fading { paths });
rekey_fields!(Path { stream });
