//! Offset and skew of the peer's clock, estimated from the packets of the measurement.
//!
//! A request and its response show the sum of both one-way delays, never their difference: with any number of
//! packets, the estimate may be wrong by half of the minimum RTT, if all of that delay were in one direction. Only
//! packets with minimum delay, which met no queue, are used (Paxson, "On calibrating measurements of packet transit
//! times", 1998), in [`mod@windows`] of time. Where a clock was stepped, the measurement is cut into segments with
//! one offset each ([`steps`]); a [`sustained`] change of the path leaves the clock unchanged. The [`skew`] is
//! estimated from the rest, within the bounds of [`causal`]ity.

mod causal;
mod differences;
mod skew;
mod steps;
mod sustained;
mod windows;

use sojourn_core::Time;

use self::causal::LARGEST_SKEW;
pub use self::differences::STAMPS_NS;
use self::differences::{Differences, base, differences, extremes, nanoseconds};
pub use self::skew::Skew;
use self::steps::{SMALLEST_NS, Step, between, first_packet};
use self::windows::{Series, Window, median, windows, without};
use super::packets::Packet;
use super::synchronized::SynchronizedClocks;
use crate::io::wall_clock::Pair;

/// Share of one-way delays negative by more than their error that a clock without steps does not reach.
const NEGATIVE: f64 = 0.01;

/// The peer's clock relative to this host's.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockEstimate {
    /// Nanoseconds subtracted from every difference, so that the remainder fits a float.
    base_ns: i128,
    skew: f64,
    /// Its offset between steps, in order; at least one.
    segments: Vec<Segment>,
    /// The skew with its interval, if there are enough packets for it.
    pub skew_interval: Option<Skew>,
    /// Steps of a clock.
    pub clock_steps: Vec<ClockStep>,
    /// Changes of the path.
    pub path_changes: Vec<PathChange>,
    /// Why there are no one-way delays, if the clock is not one that they can be derived from.
    pub unusable: Option<&'static str>,
}

/// A time without a step of a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    /// Its begin by this host's clock, in nanoseconds.
    begin: f64,
    /// Offset of the peer's clock at time 0 beyond the base, in nanoseconds.
    offset_ns: f64,
    /// Error bound of the offset, in nanoseconds.
    error_ns: f64,
}

/// A step of one of the clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockStep {
    /// When, by this host's clock.
    pub at: Time,
    /// By how much the peer's clock moved ahead of this host's, in nanoseconds.
    pub by_ns: f64,
}

/// A change of the minimum delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathChange {
    /// When, by this host's clock.
    pub at: Time,
    /// Whether it is that of the forward direction.
    pub is_forward: bool,
    /// By how much the delay grew, in nanoseconds.
    pub by_ns: f64,
}

impl ClockEstimate {
    /// The estimate from all packets with the peer's timestamps; `None` with fewer than two.
    pub fn of(packets: &[Packet]) -> Option<ClockEstimate> {
        let base_ns = base(packets)?;
        let differences: Vec<Differences> = packets.iter().filter_map(|packet| differences(packet, base_ns)).collect();
        if differences.len() < 2 {
            return None;
        }
        let windows = windows(&differences);
        let rough = skew::rough(&windows);
        let level = without(&windows, rough);
        let clock_steps = steps::of_clock(&level);
        let stretches = Stretches::of(&level, &clock_steps);
        let cuts = clock_steps.iter().map(|step| first_packet(step, &level, &differences, rough)).collect();
        let cuts = confirmed(&differences, cuts, rough);
        let skew_interval = stretches.skew(&windows).map(|skew| causal::limited(skew, &differences, &cuts));
        let skew = skew_interval.map_or(0.0, |skew| skew.value);
        // by the skew, which is known better now
        let cuts = confirmed(&differences, cuts, skew);
        let scatter = stretches.scatter(&without(&windows, skew));
        let drift = skew_interval.map_or(0.0, |skew| (skew.interval[1] - skew.interval[0]) / 2.0);
        let segments = segments(&differences, &cuts, skew, scatter, drift);
        let clock_steps = segments
            .windows(2)
            .map(|pair| ClockStep { at: at(pair[1].begin), by_ns: pair[1].offset_ns - pair[0].offset_ns });
        let mut estimate = ClockEstimate {
            base_ns,
            skew,
            clock_steps: clock_steps.collect(),
            segments,
            skew_interval,
            path_changes: stretches.path_changes(&windows),
            unusable: None,
        };
        estimate.unusable = estimate.why_unusable(packets);
        Some(estimate)
    }

    /// The clocks as they are known to differ, where both are synchronized: one segment, with the sum of both errors.
    /// Steps of a clock and changes of the path are those that the packets show. `None` as of [`of`](Self::of).
    pub fn synchronized(packets: &[Packet], clocks: SynchronizedClocks) -> Option<ClockEstimate> {
        let estimated = ClockEstimate::of(packets)?;
        let SynchronizedClocks { offset_ns, error } = clocks;
        let error_ns = error.picoseconds() as f64 / 1000.0 + STAMPS_NS;
        let segment = Segment { begin: f64::NEG_INFINITY, offset_ns: 0.0, error_ns };
        let known = ClockEstimate { base_ns: offset_ns, skew: 0.0, segments: vec![segment], ..estimated };
        let unusable = match known.clock_steps.is_empty() {
            false => Some("a clock was set during the measurement"),
            true => {
                known.negative(packets).then_some("one-way delays are negative by more than the error of the clocks")
            }
        };
        Some(ClockEstimate { unusable, ..known })
    }

    /// Clock offset of the peer to this host's wall clock in seconds, if its timestamps are wall-clock time.
    pub fn ahead_of_wall_s(&self, now: Pair) -> f64 {
        let beyond = (self.base_ns - i128::from(now.ahead())) as f64;
        let segment = self.segments[self.segments.len() - 1];
        (beyond + segment.offset_ns + self.skew * nanoseconds(now.at) as f64) * 1e-9
    }

    /// Error bound of one-way delays, in nanoseconds: the largest of all segments.
    pub fn error_ns(&self) -> f64 {
        self.segments.iter().map(|segment| segment.error_ns).fold(0.0, f64::max)
    }

    /// One-way delays of the request and the response, in nanoseconds; either may be negative by the clock error.
    pub fn one_way_ns(&self, packet: &Packet) -> Option<(f64, f64)> {
        let Differences { at, forward, reverse } = differences(packet, self.base_ns)?;
        let later = self.segments.partition_point(|segment| segment.begin <= at[0]);
        let offset_ns = self.segments[later.saturating_sub(1)].offset_ns;
        Some((forward - offset_ns - self.skew * at[0], offset_ns + self.skew * at[1] - reverse))
    }

    /// Why one-way delays cannot be derived, if so.
    fn why_unusable(&self, packets: &[Packet]) -> Option<&'static str> {
        let least = self.skew_interval.map_or(0.0, |skew| {
            let [low, high] = skew.interval;
            if low > 0.0 { low } else { (-high).max(0.0) }
        });
        if least > LARGEST_SKEW {
            return Some("the clocks drift apart by more than 500 ppm");
        }
        self.negative(packets).then_some("delays of one direction exceed the round trip")
    }

    /// Whether more one-way delays are negative by more than their error than a clock without steps would make.
    fn negative(&self, packets: &[Packet]) -> bool {
        let delays: Vec<(f64, f64)> = packets.iter().filter_map(|packet| self.one_way_ns(packet)).collect();
        let error_ns = self.error_ns();
        let negative = delays.iter().filter(|(forward, reverse)| forward.min(*reverse) < -error_ns).count();
        negative as f64 > NEGATIVE * delays.len() as f64
    }
}

/// Ranges of windows without a step, by series.
struct Stretches {
    forward: Vec<std::ops::Range<usize>>,
    reverse: Vec<std::ops::Range<usize>>,
    /// Changes of the path.
    changes: Vec<(Step, Series)>,
}

impl Stretches {
    /// Between the steps of a clock and those of one direction among windows without skew.
    fn of(level: &[Window], clock_steps: &[Step]) -> Stretches {
        let mut changes = Vec::new();
        let mut of = |series| {
            let mut stretches = Vec::new();
            for range in between(clock_steps, 0..level.len()) {
                let within = &level[range.clone()];
                let found = steps::of_one_direction(within, series);
                let lasting = sustained::sustained(within, &found, series);
                let shift = |step: Step| Step { window: step.window + range.start, ..step };
                changes.extend(lasting.into_iter().map(|step| (shift(step), series)));
                let found: Vec<Step> = found.into_iter().map(shift).collect();
                stretches.extend(between(&found, range));
            }
            stretches
        };
        let (forward, reverse) = (of(Series::Forward), of(Series::Return));
        Stretches { forward, reverse, changes }
    }

    fn skew(&self, windows: &[Window]) -> Option<Skew> {
        let [forward, reverse] = [&self.forward, &self.reverse]
            .map(|stretches| stretches.iter().map(|stretch| &windows[stretch.clone()]).collect::<Vec<&[Window]>>());
        skew::of_stretches(&forward, &reverse)
    }

    /// How far the extremes of a window usually are from those of their stretch, in nanoseconds.
    fn scatter(&self, level: &[Window]) -> f64 {
        let of = |stretches: &[std::ops::Range<usize>], series| {
            let deviations = stretches.iter().flat_map(|stretch| {
                let stretch = &level[stretch.clone()];
                let usual = median(stretch.iter().map(|window| window.of(series)).collect());
                stretch.iter().map(move |window| (window.of(series) - usual).abs())
            });
            median(deviations.collect())
        };
        (of(&self.forward, Series::Forward) + of(&self.reverse, Series::Return)) / 2.0
    }

    fn path_changes(&self, windows: &[Window]) -> Vec<PathChange> {
        let change = |(step, series): &(Step, Series)| {
            let is_forward = *series == Series::Forward;
            let by_ns = if is_forward { step.forward } else { -step.reverse };
            PathChange { at: at(windows[step.window].at), is_forward, by_ns }
        };
        let mut changes: Vec<PathChange> = self.changes.iter().map(change).collect();
        changes.sort_by_key(|change| change.at);
        changes
    }
}

/// The cuts at which the offset changes as well by all packets between them, of which some met no queue and no busy host.
fn confirmed(differences: &[Differences], mut cuts: Vec<usize>, skew: f64) -> Vec<usize> {
    // the packets near two steps overlap where the steps are near each other
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| (1..differences.len()).contains(cut));
    loop {
        let segments = segments(differences, &cuts, skew, 0.0, 0.0);
        let change = |pair: &[Segment]| (pair[1].offset_ns - pair[0].offset_ns).abs();
        match segments.windows(2).position(|pair| change(pair) < SMALLEST_NS) {
            Some(cut) => cuts.remove(cut),
            None => return cuts,
        };
    }
}

/// The offset in each segment between cuts, which are indices of packets.
fn segments(differences: &[Differences], cuts: &[usize], skew: f64, scatter: f64, drift: f64) -> Vec<Segment> {
    let ends = cuts.iter().copied().chain([differences.len()]);
    let begins = [0].into_iter().chain(cuts.iter().copied());
    let ranges = begins.zip(ends).filter(|(begin, end)| begin < end);
    let segment = |(begin, end): (usize, usize)| {
        let (within, begin) =
            (&differences[begin..end], if begin == 0 { f64::NEG_INFINITY } else { differences[begin].at[0] });
        let (forward, reverse) = extremes(within, skew);
        let lasted = within[within.len() - 1].at[1] - within[0].at[0];
        let error_ns = ((forward - reverse) / 2.0).max(0.0) + scatter + drift * lasted / 2.0 + STAMPS_NS;
        Segment { begin, offset_ns: (forward + reverse) / 2.0, error_ns }
    };
    ranges.map(segment).collect()
}

fn at(ns: f64) -> Time {
    Time::from_picoseconds((ns.max(0.0) * 1000.0) as u64)
}

#[cfg(test)]
mod tests;
