//! Messages that a clock sends: their interval, phase and jitter.

use super::seen::Start;
use crate::quantile::quantile;

/// Fewest frames of a clock.
const FEWEST: usize = 4;
/// Fewest frames that did not wait by which lateness is known, and what share of all they are at least.
const FREE: usize = 8;
const FREE_SHARE: usize = 10;
/// The shortest interval of a scenario, s.
const SHORTEST: f64 = 1e-6;
/// Frames that may be missing, of a hundred.
const MISSING: u64 = 2;
/// The largest lateness, as a share of the interval: what is later may belong to the next.
const LATEST: f64 = 0.5;
/// Lateness over a run, beside the deviation of gaps: 2.45 times as large where each message is late by itself, and larger the
/// longer a clock is watched that does not keep its phase.
const KEPT: f64 = 4.0;
/// How far the last message is from its place by least squares, in deviations of gaps by the root of their number: three standard
/// errors of the slope, 2.45 of these deviations each.
const UNSURE: f64 = 7.35;
/// Frames that are waited for, where nearly all wait.
const WAITED: f64 = 2.0;
const HALF: f64 = 0.5;
/// Values from which on the range is that of quantiles, and how many of a thousand are beyond each.
const MANY: usize = 200;
const BEYOND: f64 = 0.005;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    /// s.
    pub interval: f64,
    /// When the first message is due, s from the first packet.
    pub phase: f64,
    /// The largest lateness of a message, s.
    pub jitter: f64,
    /// Frames, and those of them that did not wait for the bus.
    pub frames: usize,
    pub free: usize,
    /// When the last message was due.
    pub last: f64,
}

impl Clock {
    /// The clock that sent frames which began then, where there is one; times that differ by up to `alike` seconds are the same, and
    /// the longest frame on the bus takes `frame` seconds.
    pub fn of(starts: &[Start], alike: f64, frame: f64) -> Option<Clock> {
        if starts.len() < FEWEST {
            return None;
        }
        let gaps: Vec<f64> = starts.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
        let typical = quantile(&mut gaps.clone(), 0.5).filter(|gap| *gap >= SHORTEST)?;
        let numbers = numbers(&gaps, typical)?;
        let interval = slope(starts, &numbers)?;
        let last = *numbers.last()?;
        // a rounded interval that is the same over the whole run is the one that was set
        let (round, deviation) = (rounded(interval), deviation(&gaps));
        let within = alike + UNSURE * deviation / libm::sqrt(starts.len() as f64);
        let interval = if libm::fabs(round - interval) * last as f64 <= within { round } else { interval };
        let late = |start: &Start, number: u64| start.at - interval * number as f64;
        let pairs = || starts.iter().zip(&numbers);
        let free: Vec<f64> =
            pairs().filter(|(start, _)| !start.waited).map(|(start, number)| late(start, *number)).collect();
        let is_free = free.len() >= FREE && free.len() * FREE_SHARE >= starts.len();
        let all = || pairs().map(|(start, number)| late(start, *number)).collect();
        let frames = starts.len();
        let [least, most] = range(if is_free { free.clone() } else { all() })?;
        let spread = most - least;
        if spread > LATEST * interval || spread > KEPT * deviation + alike {
            return None;
        }
        // where most frames wait, for a frame that is on the bus and for another, that is part of the spread
        let own = if is_free { spread } else { spread - WAITED * frame };
        let jitter = if own <= alike { 0.0 } else { own };
        // what always waits is due while the frame before it is on the bus
        let before = || quantile(&mut starts.iter().map(|start| start.before).collect::<Vec<f64>>(), 0.5);
        let phase = if is_free { least } else { least - HALF * before()? };
        Some(Clock { interval, phase, jitter, frames, free: free.len(), last: phase + interval * last as f64 })
    }
}

/// The numbers of messages, by the intervals between them; none where some are missing.
fn numbers(gaps: &[f64], typical: f64) -> Option<Vec<u64>> {
    let mut numbers = vec![0];
    let mut number = 0_u64;
    for gap in gaps {
        let steps = libm::round(gap / typical);
        if !(1.0..1e9).contains(&steps) {
            return None;
        }
        number += steps as u64;
        numbers.push(number);
    }
    let missing = number - gaps.len() as u64;
    (missing * 100 <= MISSING * number).then_some(numbers)
}

/// The interval by least squares, s.
fn slope(starts: &[Start], numbers: &[u64]) -> Option<f64> {
    let count = starts.len() as f64;
    let mean_at = starts.iter().map(|start| start.at).sum::<f64>() / count;
    let mean_number = numbers.iter().map(|number| *number as f64).sum::<f64>() / count;
    let pairs = starts.iter().zip(numbers).map(|(start, number)| (start.at - mean_at, *number as f64 - mean_number));
    let (product, square) =
        pairs.fold((0.0, 0.0), |(product, square), (at, number)| (product + at * number, square + number * number));
    Some(product / square).filter(|interval| *interval >= SHORTEST)
}

/// With four significant digits.
fn rounded(interval: f64) -> f64 {
    let step = libm::pow(10.0, libm::floor(libm::log10(interval)) - 3.0);
    libm::round(interval / step) * step
}

/// The standard deviation.
fn deviation(gaps: &[f64]) -> f64 {
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let squares: f64 = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum();
    libm::sqrt(squares / gaps.len() as f64)
}

/// Where uniform values that are sampled by these begin and end.
fn range(mut values: Vec<f64>) -> Option<[f64; 2]> {
    let beyond = if values.len() >= MANY { BEYOND } else { 0.0 };
    let [least, most] = [quantile(&mut values, beyond)?, quantile(&mut values, 1.0 - beyond)?];
    // the outermost of n values are the (n + 1)-th part of the range from its ends, quantiles their share
    let outside = if beyond > 0.0 { beyond / (1.0 - 2.0 * beyond) } else { 1.0 / (values.len() as f64 - 1.0).max(1.0) };
    let margin = outside * (most - least);
    Some([least - margin, most + margin])
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn free(at: f64) -> Start {
        Start { at, waited: false, before: 2e-4 }
    }

    #[test]
    fn a_clock_has_its_interval_phase_and_jitter() {
        let mut stream = Streams::new(1, 0).stream("jitter");
        let starts: Vec<Start> = (0..1000).map(|n| free(0.003 + 0.01 * f64::from(n) + 2e-3 * stream.unit())).collect();
        let clock = Clock::of(&starts, 4e-6, 2.7e-4).unwrap();
        assert!((clock.interval - 0.01).abs() < 1e-6, "{clock:?}");
        assert!((clock.phase - 0.003).abs() < 5e-5 && (clock.jitter - 2e-3).abs() < 1e-4, "{clock:?}");
    }

    #[test]
    fn what_a_message_waited_is_no_jitter() {
        let starts: Vec<Start> = (0..500)
            .map(|n| Start { waited: n % 3 == 0, ..free(0.02 * f64::from(n) + if n % 3 == 0 { 2e-4 } else { 0.0 }) })
            .collect();
        let clock = Clock::of(&starts, 4e-6, 2.7e-4).unwrap();
        assert_eq!((clock.jitter, clock.free), (0.0, 333));
        assert!((clock.interval - 0.02).abs() < 1e-12 && clock.phase.abs() < 1e-9, "{clock:?}");
    }

    #[test]
    fn independent_gaps_and_random_messages_have_no_clock() {
        let mut stream = Streams::new(2, 0).stream("gaps");
        let mut at = 0.0;
        let walk: Vec<Start> = (0..1000)
            .map(|_| {
                at += 0.01 + 4e-3 * (stream.unit() - 0.5);
                free(at)
            })
            .collect();
        assert_eq!(Clock::of(&walk, 4e-6, 2.7e-4), None);
        let mut at = 0.0;
        let poisson: Vec<Start> = (0..1000)
            .map(|_| {
                at -= 0.01 * libm::log(1.0 - stream.unit());
                free(at)
            })
            .collect();
        assert_eq!(Clock::of(&poisson, 4e-6, 2.7e-4), None);
    }

    #[test]
    fn a_message_that_is_missing_now_and_then_changes_nothing() {
        let starts: Vec<Start> = (0..500).filter(|n| n % 100 != 7).map(|n| free(0.1 * f64::from(n))).collect();
        let clock = Clock::of(&starts, 4e-6, 2.7e-4).unwrap();
        assert!((clock.interval - 0.1).abs() < 1e-9 && clock.jitter == 0.0, "{clock:?}");
    }
}
