//! Detects steps of the clock and of the path: times at which the extremes of the clock differences change.
//!
//! A clock step shifts the forward and the return differences alike; a change of the path shifts one of them, or both
//! apart.

use std::ops::Range;

use super::differences::Differences;
use super::windows::{Series, Window, median};

/// Windows compared on each side of a step.
pub const REACH: usize = 6;
/// Windows on each side of a step, at least.
const LEAST: usize = 2;
/// A step exceeds the usual difference of neighbouring windows by this factor.
const BEYOND_NOISE: f64 = 8.0;
/// The smallest step, in nanoseconds: interrupts and wake-ups of hosts are not steps.
pub const SMALLEST_NS: f64 = 200_000.0;
/// Windows on each side of a step that may hold packets of both of its sides.
pub const BLURRED: usize = 2;
/// Steps of a kind at most.
const MOST: usize = 16;

/// A step of the clock difference, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Index of the first window after it.
    pub window: usize,
    /// Change of the forward difference.
    pub forward: f64,
    /// Change of the return difference.
    pub reverse: f64,
}

impl Step {
    /// Whether both directions moved alike, as by a clock.
    fn is_of_clock(&self) -> bool {
        let (forward, reverse) = (self.forward, self.reverse);
        let (least, most) = (forward.abs().min(reverse.abs()), forward.abs().max(reverse.abs()));
        forward.signum() == reverse.signum() && least > most / 2.0
    }

    /// Size of the step of a clock: what both directions have in common.
    fn of_clock(&self) -> f64 {
        if self.is_of_clock() { self.forward.abs().min(self.reverse.abs()) } else { 0.0 }
    }
}

/// The steps of a clock among windows without skew, in order.
pub fn of_clock(windows: &[Window]) -> Vec<Step> {
    let limits = [Series::Forward, Series::Return].map(|series| Limits::of(windows, series));
    find(windows, |window| limits[0].at(window).max(limits[1].at(window)), Step::of_clock)
}

/// The steps of one direction among windows without skew or steps of a clock, in order: by the path, a queue or a busy host.
pub fn of_one_direction(windows: &[Window], series: Series) -> Vec<Step> {
    let limits = Limits::of(windows, series);
    find(
        windows,
        |window| limits.at(window),
        |step| match series {
            Series::Forward => step.forward.abs(),
            Series::Return => step.reverse.abs(),
        },
    )
}

/// The smallest step of a series that counts as one, in nanoseconds.
pub fn limit(windows: &[Window], series: Series) -> f64 {
    SMALLEST_NS.max(BEYOND_NOISE * noise(windows, series))
}

/// The smallest step of a series that counts as one at each window: what is noise there is none, also where jitter calms or
/// begins and most of the run is quiet.
struct Limits<'a> {
    windows: &'a [Window],
    series: Series,
    /// That of the whole run.
    least: f64,
}

impl Limits<'_> {
    fn of(windows: &[Window], series: Series) -> Limits<'_> {
        Limits { windows, series, least: limit(windows, series) }
    }

    /// By the windows that are compared on each side.
    fn at(&self, window: usize) -> f64 {
        let before = &self.windows[window.saturating_sub(REACH)..window];
        let after = &self.windows[window..(window + REACH).min(self.windows.len())];
        let noise = noise(before, self.series).max(noise(after, self.series));
        self.least.max(BEYOND_NOISE * noise)
    }
}

/// The largest steps beyond the limit at their window, with no other near them.
fn find(windows: &[Window], limit: impl Fn(usize) -> f64, size: impl Fn(&Step) -> f64) -> Vec<Step> {
    let last = windows.len().saturating_sub(LEAST);
    let mut candidates: Vec<Step> = (LEAST..=last).filter_map(|window| step(windows, window)).collect();
    candidates.retain(|step| size(step) > limit(step.window));
    candidates.sort_by(|one, other| size(other).total_cmp(&size(one)).then(one.window.cmp(&other.window)));
    let mut found: Vec<Step> = Vec::new();
    for candidate in candidates {
        if found.len() < MOST && found.iter().all(|known| known.window.abs_diff(candidate.window) > REACH) {
            found.push(candidate);
        }
    }
    let mut found: Vec<Step> = found.into_iter().map(|step| sharpest(windows, step)).collect();
    found.sort_by_key(|step| step.window);
    found
}

/// The step at the window near it at which the extremes change most.
fn sharpest(windows: &[Window], step: Step) -> Step {
    let change = |at: &usize| {
        let [before, after] = [windows[at - 1], windows[(at + 1).min(windows.len() - 1)]];
        (after.forward - before.forward).abs() + (after.reverse - before.reverse).abs()
    };
    let near = step.window.saturating_sub(REACH / 2).max(1)..(step.window + REACH / 2).min(windows.len());
    let window = near.max_by(|one, other| change(one).total_cmp(&change(other))).unwrap_or(step.window);
    Step { window, ..step }
}

/// The change at a window: the extremes of the windows after it less those of the windows before.
fn step(windows: &[Window], at: usize) -> Option<Step> {
    let before = windows.get(at.saturating_sub(REACH)..at)?;
    let after = windows.get(at..(at + REACH).min(windows.len()))?;
    if before.len() < LEAST || after.len() < LEAST {
        return None;
    }
    // medians of extremes: a queue that lasts for a window or two is not a step
    let of = |windows: &[Window], series| median(windows.iter().map(|window| window.of(series)).collect());
    let change = |series| of(after, series) - of(before, series);
    Some(Step { window: at, forward: change(Series::Forward), reverse: change(Series::Return) })
}

/// The usual difference of neighbouring windows.
fn noise(windows: &[Window], series: Series) -> f64 {
    median(windows.windows(2).map(|pair| (pair[1].of(series) - pair[0].of(series)).abs()).collect())
}

/// The ranges of windows between steps, without those near a step.
pub fn between(steps: &[Step], windows: Range<usize>) -> Vec<Range<usize>> {
    let ends = steps.iter().map(|step| step.window.saturating_sub(BLURRED)).chain([windows.end]);
    let begins = [windows.start].into_iter().chain(steps.iter().map(|step| step.window + BLURRED));
    begins.zip(ends).filter(|(begin, end)| begin < end).map(|(begin, end)| begin..end).collect()
}

/// The first packet after a step of a clock: where the differences before and after it fit best.
pub fn first_packet(step: &Step, windows: &[Window], differences: &[Differences], skew: f64) -> usize {
    let middle =
        |packet: &Differences| (packet.forward + packet.reverse) / 2.0 - skew * (packet.at[0] + packet.at[1]) / 2.0;
    let start = windows[step.window.saturating_sub(BLURRED)].first;
    let end = windows.get(step.window + BLURRED).map_or(differences.len(), |window| window.first);
    let near = &differences[start..end];
    let of =
        |windows: &[Window]| median(windows.iter().map(|window| (window.forward + window.reverse) / 2.0).collect());
    let [before, after] = [
        of(&windows[step.window.saturating_sub(REACH)..step.window]),
        of(&windows[(step.window + 1).min(windows.len() - 1)..(step.window + REACH).min(windows.len())]),
    ];
    // the sum of misfits if the step is before the packet
    let mut misfit: f64 = near.iter().map(|packet| (middle(packet) - after).abs()).sum();
    let (mut best, mut least) = (0, misfit);
    for (index, packet) in near.iter().enumerate() {
        misfit += (middle(packet) - before).abs() - (middle(packet) - after).abs();
        if misfit < least {
            (best, least) = (index + 1, misfit);
        }
    }
    start + best
}
