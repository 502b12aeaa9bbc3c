//! Detects path changes: steps of the minimum delay that last for seconds.
//!
//! A busy host or a queue delays packets for some time, but then some packet passes undelayed. After a path has
//! become longer, even the minimum delay over some seconds therefore exceeds the delay of most packets before the
//! change, and vice versa.

use super::steps::{BLURRED, REACH, Step, limit};
use super::windows::{Series, Window};

/// How long the least delay must keep a change, before it and after it, in nanoseconds.
const LASTS_NS: f64 = 2e9;
/// Share of the windows on the side of the smaller delay that must be below all on the other.
const BELOW: f64 = 0.75;

/// The changes of the path among steps of a series in windows without skew or steps of a clock, in order.
pub fn sustained(windows: &[Window], steps: &[Step], series: Series) -> Vec<Step> {
    let limit = limit(windows, series);
    let changes = steps.iter().filter_map(|step| change(windows, step.window, series));
    let mut changes: Vec<(usize, f64)> = changes.filter(|(_, by)| by.abs() > limit).collect();
    changes.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()).then(one.0.cmp(&other.0)));
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (window, by) in changes {
        let at = windows[window].at;
        if found.iter().all(|(known, _)| (windows[*known].at - at).abs() > LASTS_NS) {
            found.push((window, by));
        }
    }
    found.sort_by_key(|(window, _)| *window);
    found.into_iter().map(|(window, by)| step(window, by, series)).collect()
}

fn step(window: usize, by: f64, series: Series) -> Step {
    match series {
        Series::Forward => Step { window, forward: by, reverse: 0.0 },
        Series::Return => Step { window, forward: 0.0, reverse: -by },
    }
}

/// Where the least delay changes near a window, and by how much; `None` if it does not change for long.
fn change(windows: &[Window], near: usize, series: Series) -> Option<(usize, f64)> {
    let at = windows.get(near)?.at;
    if at - windows.first()?.at < LASTS_NS || windows.last()?.at - at < LASTS_NS {
        return None;
    }
    let delays: Vec<f64> = windows.iter().map(|window| delay(window, series)).collect();
    let first = windows.partition_point(|window| window.at < at - LASTS_NS).min(near.saturating_sub(REACH));
    let last = windows.partition_point(|window| window.at <= at + LASTS_NS).max((near + REACH).min(windows.len()));
    let before = delays.get(first..near.saturating_sub(BLURRED))?;
    let after = delays.get(near + BLURRED..last)?;
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let by = least(after) - least(before);
    let (lower, higher) = if by > 0.0 { (before, after) } else { (after, before) };
    if most_of(lower) >= least(higher) {
        return None;
    }
    // where most windows before are below the middle and most after it above, or vice versa
    let middle = f64::midpoint(least(before), least(after));
    let fits = |window: usize| {
        let is_low = |delay: &&f64| (**delay < middle) == (by > 0.0);
        delays[first..window].iter().filter(is_low).count() + (last - window)
            - delays[window..last].iter().filter(is_low).count()
    };
    let window = (first + 1..last).max_by_key(|window| fits(*window))?;
    Some((window, by))
}

/// The least delay in a window, from the clock offset.
fn delay(window: &Window, series: Series) -> f64 {
    match series {
        Series::Forward => window.forward,
        Series::Return => -window.reverse,
    }
}

fn least(delays: &[f64]) -> f64 {
    delays.iter().copied().fold(f64::INFINITY, f64::min)
}

/// What most delays do not exceed.
fn most_of(delays: &[f64]) -> f64 {
    let mut sorted = delays.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * BELOW) as usize]
}
