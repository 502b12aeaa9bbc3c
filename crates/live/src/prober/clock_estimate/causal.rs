//! Bounds on clock skew from causality: no packet arrives before it was sent.
//!
//! With the true skew removed, the clock offset lies above every return difference and below every forward
//! difference; a skew is therefore possible only if it leaves room for such an offset (Moon, Skelly and Towsley,
//! "Estimation and removal of clock skew from network delay measurements", 1999). In a measurement of one second
//! these bounds are tighter than any trend of its delays.

use super::differences::{Differences, STAMPS_NS, extremes};
use super::skew::Skew;

/// The largest skew of a clock: the kernel slews none by more (adjtimex(2)).
pub const LARGEST_SKEW: f64 = 500e-6;

/// Halvings of a range of skews: to 1e-18.
const HALVINGS: usize = 50;

/// The skew with its interval as far as no delay is negative by more than the error of its timestamps; unchanged where no
/// skew within twice that of any clock would do, as after a step of a clock that was not recognised. Packets between cuts
/// have an offset of their own.
pub fn limited(skew: Skew, differences: &[Differences], cuts: &[usize]) -> Skew {
    let ends = cuts.iter().copied().chain([differences.len()]);
    let parts: Vec<&[Differences]> = [0]
        .into_iter()
        .chain(cuts.iter().copied())
        .zip(ends)
        .filter(|(begin, end)| begin < end)
        .map(|(begin, end)| &differences[begin..end])
        .collect();
    // a minimum of linear functions: concave, so that the skews without negative delays are an interval
    let room = |skew: f64| {
        let of = |part: &&[Differences]| {
            let (forward, reverse) = extremes(part, skew);
            forward - reverse + 2.0 * STAMPS_NS
        };
        parts.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    if skew.interval.iter().all(|end| room(*end) >= 0.0) {
        return skew;
    }
    let ends = [-2.0 * LARGEST_SKEW, 2.0 * LARGEST_SKEW];
    let inside = highest(&room, ends);
    if room(inside) < 0.0 {
        return skew;
    }
    let [low, high] = ends.map(|end| last_with_room(&room, inside, end));
    Skew { value: skew.value.clamp(low, high), interval: skew.interval.map(|end| end.clamp(low, high)) }
}

/// Where a concave function is largest, by thirds.
fn highest(of: &impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..HALVINGS {
        let third = (high - low) / 3.0;
        if of(low + third) < of(high - third) { low += third } else { high -= third }
    }
    f64::midpoint(low, high)
}

/// The last skew with room on the line from one that has it to an end.
fn last_with_room(room: &impl Fn(f64) -> f64, inside: f64, end: f64) -> f64 {
    if room(end) >= 0.0 {
        return end;
    }
    let (mut with, mut without) = (inside, end);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(with, without);
        if room(middle) >= 0.0 { with = middle } else { without = middle }
    }
    with
}
