//! The direction in which packets wait: its delay above its own minimum, where that is more than what clocks can be wrong
//! by, and lasts from one packet to the next as a queue does.
//!
//! The offset of the peer's clock cancels in a difference to the minimum; what remains is the error of its skew.

use std::ops::Range;

use sojourn_metrics::display::Shown;
use sojourn_metrics::results::{PathFinding, Setting};

use super::direction::Direction;
use super::{Known, finding};
use crate::prober::clock_estimate::{ClockEstimate, STAMPS_NS};
use crate::prober::packets::Packet;

/// Fewest packets with one-way delays in a phase.
const FEWEST: usize = 20;
/// The quantile of the delay above the minimum.
const SHARE: f64 = 0.95;
/// Less than this a busy host at either end makes as well, in seconds.
const LEAST_S: f64 = 1e-3;
/// Least correlation of the delays of a packet and the next: jitter that is drawn for each packet has none.
const CORRELATION: f64 = 0.5;
/// Most changes of the minimum that are changes of the path; more of them are what a queue does.
const MOST_CHANGES: usize = 4;

/// When a packet left, in seconds, and its one-way delay, in seconds.
type Delay = (f64, f64);

/// A finding for each direction that queues in a phase.
pub fn find(all: &[Packet], phase: Range<usize>, known: &Known<'_>) -> Vec<PathFinding> {
    let Some(estimate) = known.estimate.filter(|estimate| estimate.unusable.is_none()) else { return Vec::new() };
    Direction::BOTH
        .into_iter()
        .filter_map(|direction| of_direction(all, phase.clone(), direction, estimate, known))
        .collect()
}

fn of_direction(
    all: &[Packet],
    phase: Range<usize>,
    direction: Direction,
    estimate: &ClockEstimate,
    known: &Known<'_>,
) -> Option<PathFinding> {
    let delay = |packet: &Packet| -> Option<Delay> {
        packet.measured(known.timeout)?;
        let (forward, back) = estimate.one_way_ns(packet)?;
        let ns = if direction == Direction::Forward { forward } else { back };
        Some((packet.left().since(known.began).seconds(), ns * 1e-9))
    };
    let cuts = cuts(direction, estimate, known);
    let whole: Vec<Delay> = all.iter().filter_map(delay).collect();
    let within: Vec<Delay> = all[phase].iter().filter_map(delay).collect();
    let waited = above_minimum(&within, &minima(&whole, &cuts), &cuts);
    let span = whole.last()?.0 - whole.first()?.0;
    let drift = estimate.skew_interval.map_or(0.0, |skew| (skew.interval[1] - skew.interval[0]) / 2.0);
    Queue::of(&waited, 2.0 * STAMPS_NS * 1e-9 + drift * span).map(|queue| queue.finding(direction))
}

/// When the minimum changes for another reason than a queue: clocks that were set, other paths.
fn cuts(direction: Direction, estimate: &ClockEstimate, known: &Known<'_>) -> Vec<f64> {
    let is_forward = direction == Direction::Forward;
    let paths = estimate.path_changes.iter().filter(|change| change.is_forward == is_forward).map(|change| change.at);
    let paths: Vec<_> = paths.collect();
    let is_path = !known.is_loaded && paths.len() <= MOST_CHANGES;
    let clocks = estimate.clock_steps.iter().map(|step| step.at);
    let mut cuts: Vec<f64> =
        paths.into_iter().filter(|_| is_path).chain(clocks).map(|at| at.since(known.began).seconds()).collect();
    cuts.sort_by(f64::total_cmp);
    cuts
}

/// The smallest delay between cuts.
fn minima(delays: &[Delay], cuts: &[f64]) -> Vec<f64> {
    let mut minima = vec![f64::INFINITY; cuts.len() + 1];
    for (at, delay) in delays {
        let least = &mut minima[cuts.partition_point(|cut| cut <= at)];
        *least = least.min(*delay);
    }
    minima
}

fn above_minimum(delays: &[Delay], minima: &[f64], cuts: &[f64]) -> Vec<f64> {
    delays.iter().map(|(at, delay)| delay - minima[cuts.partition_point(|cut| cut <= at)]).collect()
}

/// What is known of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Queue {
    /// Delay above the minimum at its 95 % quantile, in seconds.
    p95_s: f64,
    /// Error bound of that, in seconds.
    error_s: f64,
}

impl Queue {
    /// By how long each packet waited, in the order of sending.
    fn of(waited: &[f64], error_s: f64) -> Option<Queue> {
        if waited.len() < FEWEST {
            return None;
        }
        let mut sorted = waited.to_vec();
        sorted.sort_by(f64::total_cmp);
        let p95_s = sorted[((sorted.len() as f64 * SHARE).ceil() as usize).clamp(1, sorted.len()) - 1];
        (p95_s > error_s + LEAST_S && correlation(waited) >= CORRELATION).then_some(Queue { p95_s, error_s })
    }

    fn finding(&self, direction: Direction) -> PathFinding {
        let Queue { p95_s, error_s } = *self;
        let shown = |seconds: f64| Shown::unit("s").value(Some(seconds), p95_s, 3);
        let text = format!(
            "packets queue {}: {} above the minimum delay at p95, with an error of up to {}",
            direction.phrase(),
            shown(p95_s),
            shown(error_s)
        );
        let values = [("p95_above_minimum", p95_s), ("error", error_s)];
        let values = values.map(|(name, seconds)| (name.to_owned(), Setting::Number(seconds)));
        PathFinding { values: values.into(), ..finding("queue", Some(direction), text) }
    }
}

/// Correlation of each value and the next; 0 of values that are all the same.
fn correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let around: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let squares: f64 = around.iter().map(|value| value * value).sum();
    let products: f64 = around.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::{Duration, Time};

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// A request every 20 ms with these one-way delays in microseconds, by a peer whose clock is 5 s ahead.
    fn packets(delays: impl Iterator<Item = (u64, u64)>) -> Vec<Packet> {
        let packet = |(number, (forward, back)): (u64, (u64, u64))| {
            let sent = 20_000 * number;
            let there = (5_000_000 + sent + forward) * 1000;
            Packet {
                intended: at(sent),
                sent: at(sent),
                departed: Some(at(sent)),
                received: Some(at(sent + forward + back)),
                kernel_received: Some(at(sent + forward + back)),
                far_received: Some(there),
                far_sent: Some(there),
                ..Packet::default()
            }
        };
        (0..).zip(delays).map(packet).collect()
    }

    fn found(packets: &[Packet], phase: Range<usize>, is_loaded: bool) -> Vec<PathFinding> {
        let estimate = ClockEstimate::of(packets);
        let known = Known {
            phase: None,
            began: at(0),
            timeout: Duration::from_secs(1),
            estimate: estimate.as_ref(),
            has_restarted: false,
            responds_in_order: true,
            is_loaded,
        };
        find(packets, phase, &known)
    }

    /// A saw tooth from 0 to 100 ms and back in 4 s, as of a queue that fills and drains.
    fn queue(number: u64) -> u64 {
        let step = number % 200;
        1000 * step.min(200 - step)
    }

    #[test]
    fn the_direction_that_queues_is_found_with_its_delay_above_the_minimum() {
        let packets = packets((0..500).map(|number| (20_000 + if number < 100 { 0 } else { queue(number) }, 10_000)));
        let found = found(&packets, 100..500, true);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].finding.as_str(), found[0].direction.as_deref()), ("queue", Some("forward")));
        let Setting::Number(p95) = found[0].values["p95_above_minimum"] else { panic!("a number") };
        assert!((p95 - 0.095).abs() < 0.001, "{p95}");
        assert!(found[0].text.starts_with("packets queue in the forward direction: 95"), "{}", found[0].text);
    }

    #[test]
    fn jitter_of_each_packet_and_a_calm_path_are_no_queue() {
        // 0 to 10 ms, without relation to the next
        let jitter = packets((0..500u64).map(|number| (20_000 + number * 7919 % 10_007, 10_000)));
        assert_eq!(found(&jitter, 0..500, false), []);
        assert_eq!(found(&packets((0..500).map(|_| (20_000, 10_000))), 0..500, false), []);
    }

    #[test]
    fn another_path_is_no_queue() {
        let packets =
            packets((0..1000).map(|number| (20_000 + if number < 500 { 0 } else { 30_000 }, 20_000 + number % 3)));
        assert_eq!(found(&packets, 0..1000, false), []);
    }

    #[test]
    fn few_packets_decide_nothing() {
        let packets = packets((0..15).map(|number| (20_000 + 5000 * number, 10_000)));
        assert_eq!(found(&packets, 0..15, true), []);
    }

    #[test]
    fn what_clocks_may_be_wrong_by_is_no_evidence() {
        let waited: Vec<f64> = (0..200).map(|number| queue(number) as f64 * 1e-6).collect();
        assert!(Queue::of(&waited, 0.01).is_some());
        assert_eq!(Queue::of(&waited, 0.2), None);
    }
}
