//! Metrics of a phase, from the timestamps of its packets.

use std::ops::Range;

use sojourn_core::Duration;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};

use super::clock_estimate::{ClockEstimate, Skew};
use super::direction_metrics;
use super::packets::{Packet, Packets, Verdict};
use super::peer::PeerCounts;
use super::verdicts::Verdicts;

/// Share of the fastest response times that `responsiveness` averages over: the trimmed mean TM of
/// draft-ietf-ippm-responsiveness.
const TRIMMED_MEAN_SHARE: f64 = 0.95;
/// Components of the delay budget, in the order that a request passes them.
const COMPONENTS: [&str; 4] = ["sending host", "network", "other host", "receiving host"];

/// How far timestamps of two hosts' kernels, each converted from its wall clock, may disagree on an interval.
const TIMESTAMP_ERROR: Duration = Duration::from_micros(20);

/// The metrics of a phase that took `lasted`.
pub fn record(
    packets: &Packets,
    phase: Range<usize>,
    timeout: Duration,
    estimate: Option<&ClockEstimate>,
    lasted: Duration,
    counts: Option<&PeerCounts>,
) -> Record {
    let within = &packets.all()[phase.clone()];
    let mut record = Record::default();
    let verdicts = Verdicts::of(within, timeout);
    let timed: Vec<&Packet> = within.iter().filter(|packet| packet.measured(timeout).is_some()).collect();
    times(&mut record, within, &timed, verdicts.lost + verdicts.failed);
    split(&mut record, &timed);
    let (reordered, duplicates) = packets.faults_within(phase.clone());
    record.share("loss", verdicts.lost, verdicts.decided());
    record.share("late", verdicts.late, verdicts.decided());
    record.count("failures", verdicts.lost + verdicts.late + verdicts.failed);
    record.share("reordering", reordered, within.len() as u64);
    record.count("duplicates", duplicates);
    loss_bursts(&mut record, within, timeout);
    let answered: Vec<&Packet> = within.iter().filter(|packet| packet.is_in_time(timeout)).collect();
    if let Some(mean) = trimmed_mean(&answered) {
        record.scalar("responsiveness", 1.0 / mean);
    }
    direction_metrics::record_metrics(&mut record, packets, phase.clone(), verdicts, counts);
    if let Some(marks) = packets.marked_within(phase) {
        record.count("marks", marks);
    }
    let [sent, served] = [within.len(), answered.len()].map(|requests| requests as f64 / lasted.seconds());
    record.scalar("transaction_rate", served);
    record.load("peer", Load::seen_from_afar("requests/s", sent, served));
    jitters(&mut record, "", within, |packet| packet.measured(timeout).map(nanoseconds));
    if let Some(estimate) = estimate {
        clock(&mut record, estimate);
        if estimate.unusable.is_none() {
            one_way(&mut record, within, estimate, timeout);
        }
    }
    record
}

fn nanoseconds(span: Duration) -> f64 {
    span.picoseconds() as f64 / 1000.0
}

fn span(ns: f64) -> Duration {
    // a negative delay is clock error
    Duration::from_picoseconds((ns.max(0.0) * 1000.0) as u64)
}

fn distribution(spans: impl Iterator<Item = Duration>) -> Observation {
    with_lost(spans, 0)
}

/// These spans, and as many requests that were never answered, or failed.
fn with_lost(spans: impl Iterator<Item = Duration>, lost: u64) -> Observation {
    let mut distribution = Distribution::new();
    spans.for_each(|span| distribution.record(span));
    distribution.censor(lost);
    Observation::Distribution(distribution)
}

/// Response times from actual and intended send times, and send lateness.
fn times(record: &mut Record, within: &[Packet], answered: &[&Packet], lost: u64) {
    record.observe("response_time", with_lost(answered.iter().filter_map(|packet| packet.response()), lost));
    let intended = answered.iter().filter_map(|packet| Some(packet.received?.since(packet.intended)));
    record.observe("response_time_intended", with_lost(intended, lost));
    record.observe("lateness", distribution(within.iter().map(Packet::lateness)));
}

/// Mean of the fastest 95 % of the response times, in seconds; `None` without a response.
fn trimmed_mean(answered: &[&Packet]) -> Option<f64> {
    let mut responses: Vec<Duration> = answered.iter().filter_map(|packet| packet.response()).collect();
    responses.sort_unstable();
    responses.truncate((responses.len() as f64 * TRIMMED_MEAN_SHARE).ceil() as usize);
    let sum: f64 = responses.iter().map(|response| response.seconds()).sum();
    (sum > 0.0).then(|| sum / responses.len() as f64)
}

/// Host and network shares of the response time, where kernel timestamps exist. A peer with timestamps owes the residence
/// time of every request: without it the network's share is unknown.
fn split(record: &mut Record, answered: &[&Packet]) {
    let (mut path, mut host) = (Distribution::new(), Distribution::new());
    let mut budget = Budget::new(&COMPONENTS);
    let (mut unknown, mut is_owed) = (0, false);
    for packet in answered {
        let (Some(departed), Some(kernel), Some(received)) = (packet.departed, packet.kernel_received, packet.received)
        else {
            continue;
        };
        let (between, whole) = (kernel.since(departed), received.since(packet.sent));
        // on a path shorter than the error of timestamps the residence time may exceed the whole
        let residence = packet.residence_time().filter(|residence| *residence <= between + TIMESTAMP_ERROR);
        let residence = residence.map(|residence| residence.min(between));
        if packet.far_received.is_some() {
            is_owed = true;
            if residence.is_none() {
                unknown += 1;
                continue;
            }
        }
        let network = between.saturating_sub(residence.unwrap_or_default());
        path.record(network);
        host.record(whole.saturating_sub(network));
        if let Some(residence) = residence {
            budget.record(&[departed.since(packet.sent), network, residence, received.since(kernel)]);
        }
    }
    let observed = |distribution: Distribution| match distribution.count() {
        0 => Observation::NotApplicable,
        _ => Observation::Distribution(distribution),
    };
    record.observe("path_time", observed(path));
    record.observe("host_time", observed(host));
    if budget.count() > 0 {
        record.observe("delay_budget", Observation::Budget(budget));
    }
    if is_owed {
        record.count("unknown_residence", unknown);
    }
}

/// Runs of consecutive requests that were lost, and the longest.
fn loss_bursts(record: &mut Record, within: &[Packet], timeout: Duration) {
    let is_lost = |packet: &Packet| packet.verdict(timeout) == Verdict::Lost;
    let bursts = within.chunk_by(|one, next| is_lost(one) == is_lost(next));
    let lengths: Vec<usize> = bursts.filter(|burst| is_lost(&burst[0])).map(<[Packet]>::len).collect();
    record.count("loss_bursts", lengths.len() as u64);
    record.scalar("longest_loss_burst", lengths.iter().copied().max().unwrap_or(0) as f64);
}

/// The jitter metrics of a delay in nanoseconds; `member` is empty, `/forward` or `/return`.
fn jitters(record: &mut Record, member: &str, packets: &[Packet], delay: impl Fn(&Packet) -> Option<f64>) {
    let delays: Vec<Option<f64>> = packets.iter().map(delay).collect();
    let present: Vec<f64> = delays.iter().copied().flatten().collect();
    let least = present.iter().copied().fold(f64::INFINITY, f64::min);
    let consecutive = delays.windows(2).filter_map(|pair| Some(pair[1]? - pair[0]?));
    let differences: Vec<f64> = consecutive.map(f64::abs).collect();
    record.observe(format!("ipdv{member}"), distribution(differences.into_iter().map(span)));
    let variation = distribution(present.iter().map(|delay| span(delay - least)));
    let Observation::Distribution(found) = &variation else { unreachable!("made as one above") };
    if let Some(spread) = found.spread(0.5, 0.95) {
        record.scalar(format!("jitter_p95_p50{member}"), spread.seconds());
    }
    record.observe(format!("pdv{member}"), variation);
    // between consecutive arrivals, losses between them ignored (RFC 3550, section 6.4.1)
    let smoothed = present.windows(2).scan(0.0, |jitter, pair| {
        *jitter += ((pair[1] - pair[0]).abs() - *jitter) / 16.0;
        Some(*jitter)
    });
    let (sum, largest) = smoothed.fold((0.0, 0.0), |(sum, largest), jitter| (sum + jitter, jitter.max(largest)));
    let mean = sum / present.len().saturating_sub(1).max(1) as f64;
    record.scalar(format!("jitter_rfc3550{member}"), mean * 1e-9);
    record.scalar(format!("jitter_rfc3550_max{member}"), largest * 1e-9);
}

/// One-way delays by the estimate of the peer's clock, and their error.
fn one_way(record: &mut Record, within: &[Packet], estimate: &ClockEstimate, timeout: Duration) {
    let paths = |packet: &Packet| packet.measured(timeout).and_then(|_| estimate.one_way_ns(packet));
    for (member, is_forward) in [("/forward", true), ("/return", false)] {
        let delay =
            |packet: &Packet| paths(packet).map(|(forward, reverse)| if is_forward { forward } else { reverse });
        record.observe(format!("one_way_delay{member}"), distribution(within.iter().filter_map(delay).map(span)));
        jitters(record, member, within, delay);
    }
    record.scalar("clock_error", estimate.error_ns() * 1e-9);
}

/// What is known of the peer's clock, and of changes of the path by it.
fn clock(record: &mut Record, estimate: &ClockEstimate) {
    if let Some(Skew { value, interval }) = estimate.skew_interval {
        record.observe("clock_skew", Observation::Estimate { value, interval });
    }
    record.count("clock_steps", estimate.clock_steps.len() as u64);
    record.count("path_changes", estimate.path_changes.len() as u64);
}

#[cfg(test)]
mod tests {
    use super::super::peer::{PeerTimes, Response, TxTimestamp};
    use super::*;
    use sojourn_core::Time;

    const TIMEOUT: Duration = Duration::from_secs(1);

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// One packet every millisecond with these response times in microseconds, of which 10 are on sending, 5 at the peer and
    /// 20 from the kernel to the application.
    fn packets(responses_us: &[Option<u64>]) -> Packets {
        let mut packets = Packets::starting_at(0);
        for (index, response) in responses_us.iter().enumerate() {
            let (sequence, sent) = (index as u64, 1000 * index as u64 + 2);
            packets.sent(at(sent - 2), at(sent));
            packets.departed(TxTimestamp { sequence, at: at(sent + 10) });
            let Some(response) = response else { continue };
            let came_ns = (sent + 10 + (response - 35) / 2) * 1000;
            packets.answered(Response {
                sequence,
                received: at(sent + response),
                kernel_received: Some(at(sent + response - 20)),
                far: Some(PeerTimes {
                    received: came_ns,
                    sent: Some(came_ns + 5000),
                    earlier: None,
                    class: None,
                    kernel: true,
                }),
                class: None,
            });
        }
        packets
    }

    fn of(responses_us: &[Option<u64>]) -> Record {
        let packets = packets(responses_us);
        let all = 0..packets.all().len();
        let estimate = ClockEstimate::of(packets.all());
        record(&packets, all, TIMEOUT, estimate.as_ref(), Duration::from_millis(10), None)
    }

    fn quantile_us(record: &Record, name: &str, q: f64) -> u64 {
        record.distribution(name).quantile(q).unwrap().picoseconds() / 1_000_000
    }

    #[test]
    fn response_time_counts_from_the_actual_and_from_the_intended_departure() {
        let record = of(&[Some(105), Some(205), Some(305)]);
        assert_eq!(quantile_us(&record, "response_time", 0.5), 205);
        assert_eq!(quantile_us(&record, "response_time_intended", 0.5), 207);
        assert_eq!(quantile_us(&record, "lateness", 1.0), 2);
    }

    #[test]
    fn the_budget_adds_up_to_the_response_time() {
        let record = of(&[Some(105); 4]);
        let Observation::Budget(budget) = &record.metrics["delay_budget"] else { panic!("a budget") };
        let means = budget.means().unwrap();
        let expected = [10e-6, 70e-6, 5e-6, 20e-6];
        assert!(means.iter().zip(expected).all(|(mean, expected)| (mean - expected).abs() < 1e-12), "{means:?}");
        assert_eq!((quantile_us(&record, "path_time", 0.5), quantile_us(&record, "host_time", 0.5)), (70, 35));
    }

    #[test]
    fn a_response_of_unknown_residence_time_is_left_out_of_host_and_network_and_counted() {
        let mut packets = packets(&[Some(105), Some(105), None]);
        let sent = 1000 * packets.all().len() as u64;
        packets.sent(at(sent), at(sent));
        packets.departed(TxTimestamp { sequence: 3, at: at(sent + 10) });
        let stalled = PeerTimes { received: (sent + 45) * 1000, sent: None, earlier: None, class: None, kernel: true };
        packets.answered(Response {
            sequence: 3,
            received: at(sent + 9105),
            kernel_received: Some(at(sent + 9085)),
            far: Some(stalled),
            class: None,
        });
        let record = record(&packets, 0..4, TIMEOUT, None, Duration::from_millis(10), None);
        assert_eq!((record.distribution("response_time").count(), record.distribution("path_time").count()), (3, 2));
        assert_eq!((quantile_us(&record, "path_time", 1.0), quantile_us(&record, "host_time", 1.0)), (70, 35));
        assert_eq!(record.metrics["unknown_residence"], Observation::Count(1));
    }

    #[test]
    fn of_a_peer_without_timestamps_the_network_is_kernel_to_kernel() {
        let mut packets = Packets::starting_at(0);
        packets.sent(at(0), at(0));
        packets.departed(TxTimestamp { sequence: 0, at: at(10) });
        let (received, kernel_received) = (at(100), Some(at(90)));
        packets.answered(Response { sequence: 0, received, kernel_received, far: None, class: None });
        let record = record(&packets, 0..1, TIMEOUT, None, Duration::from_millis(10), None);
        assert_eq!((quantile_us(&record, "path_time", 1.0), quantile_us(&record, "host_time", 1.0)), (80, 20));
        assert!(!record.metrics.contains_key("unknown_residence"));
    }

    #[test]
    fn the_jitters_follow_their_definitions() {
        let record = of(&[Some(105), Some(205), Some(105), None, Some(305)]);
        // two responses with a loss between them are not a pair
        assert_eq!(quantile_us(&record, "ipdv", 1.0), 100);
        assert_eq!(quantile_us(&record, "pdv", 1.0), 200);
        assert!((record.value("jitter_p95_p50") - 200e-6).abs() < 1e-12, "the median is 105 µs, the 95 % quantile 305");
        // 100 / 16, then 100 / 16 + 15 / 16 of that, then 200 / 16 + 15 / 16 of that
        let by_hand = [6.25, 12.109_375, 23.852_539_062_5];
        assert!((record.value("jitter_rfc3550") - by_hand.iter().sum::<f64>() / 3.0 * 1e-6).abs() < 1e-12);
        assert!((record.value("jitter_rfc3550_max") - by_hand[2] * 1e-6).abs() < 1e-12);
        assert_eq!(record.value("loss"), 0.2);
    }

    #[test]
    fn responsiveness_is_the_rate_of_round_trips_at_the_mean_of_the_fastest_95_percent() {
        // 20 responses, of which the slowest is trimmed, and a loss, which has no time
        let mut responses = vec![Some(100); 10];
        responses.extend([Some(300); 9]);
        responses.extend([Some(900_000), None]);
        let mean = (10.0 * 100e-6 + 9.0 * 300e-6) / 19.0;
        assert!((of(&responses).value("responsiveness") - 1.0 / mean).abs() < 1e-6);
        assert!(!of(&[None]).metrics.contains_key("responsiveness"));
    }

    #[test]
    fn consecutive_losses_are_one_burst() {
        let record = of(&[None, Some(105), None, None, None, Some(105), Some(105), None]);
        assert_eq!(record.metrics["loss_bursts"], Observation::Count(3));
        assert_eq!(record.value("longest_loss_burst"), 3.0);
        assert_eq!(of(&[Some(105)]).value("longest_loss_burst"), 0.0);
    }

    #[test]
    fn one_way_delays_are_half_the_rtt_on_a_symmetric_path() {
        let record = of(&[Some(105), Some(205), Some(105), Some(105)]);
        assert_eq!(quantile_us(&record, "one_way_delay/forward", 0.5), 35);
        assert_eq!(quantile_us(&record, "one_way_delay/return", 1.0), 85);
        // half of the round trip, and 2 µs of the timestamps
        assert!((record.value("clock_error") - 37e-6).abs() < 1e-9);
    }

    #[test]
    fn a_response_after_the_timeout_is_late_with_its_time_and_a_missing_one_lost() {
        let record = of(&[Some(105), Some(2_000_000), None]);
        assert_eq!(record.metrics["loss"], Observation::Share { part: 1, of: 3 });
        assert_eq!(record.metrics["late"], Observation::Share { part: 1, of: 3 });
        assert_eq!(record.metrics["failures"], Observation::Count(2));
        let responses = record.distribution("response_time");
        assert_eq!((responses.count(), responses.sent(), responses.quantile(0.99)), (2, 3, None));
        assert_eq!(quantile_us(&record, "response_time", 0.5), 2_000_000);
    }

    #[test]
    fn the_kernel_says_when_a_response_arrived_that_a_stalled_process_read_late() {
        let mut packets = Packets::starting_at(0);
        packets.sent(at(0), at(0));
        let (received, kernel_received) = (at(4_000_000), Some(at(40_000)));
        packets.answered(Response { sequence: 0, received, kernel_received, far: None, class: None });
        let record = record(&packets, 0..1, TIMEOUT, None, Duration::from_secs(4), None);
        assert_eq!((record.value("loss"), record.value("late")), (0.0, 0.0));
    }

    #[test]
    fn requests_of_a_pause_of_this_host_are_neither_lost_nor_late() {
        let mut packets = packets(&[Some(105), None, None, None]);
        packets.paused(at(900), at(2500));
        let (received, kernel_received) = (at(9_000_000), None);
        packets.answered(Response { sequence: 2, received, kernel_received, far: None, class: None });
        let record = record(&packets, 0..4, TIMEOUT, None, Duration::from_millis(10), None);
        assert_eq!(record.metrics["loss"], Observation::Share { part: 1, of: 2 }, "the last was sent after the pause");
        assert_eq!(record.metrics["late"], Observation::Share { part: 0, of: 2 });
        assert_eq!(record.distribution("response_time").count(), 1);
    }
}
