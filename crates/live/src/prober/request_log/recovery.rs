//! Recovers the metrics of an unfinished measurement from its request log.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

use sojourn_metrics::record::{Observation, Record};

use super::line::LoggedRequest;
use super::second::{LoggedCounts, LoggedSecond};
use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::direction_metrics;
use crate::prober::measured::{Experiment, Measured};
use crate::prober::outages::{NetworkErrors, RunOutages};
use crate::prober::packets::Packets;
use crate::prober::peer::{PeerTimes, Response, TxTimestamp};
use crate::prober::verdicts::Verdicts;
use crate::prober::{phase_metrics, time_series};

/// A phase that was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedPhase {
    /// Its name.
    pub name: &'static str,
    /// Its length.
    pub duration: Duration,
    /// Whether its metrics are kept.
    pub recorded: bool,
    /// Whether the network is loaded in it.
    pub loaded: bool,
}

/// What was planned for a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPoint {
    /// Phases, in order.
    pub phases: Vec<PlannedPhase>,
    /// Response timeout.
    pub timeout: Duration,
    /// Whether requests of several sizes were planned.
    pub several_sizes: bool,
}

/// What a run had written.
#[derive(Debug, Default)]
struct Written {
    requests: Vec<LoggedRequest>,
    seconds: Vec<LoggedSecond>,
}

/// What was measured of a point until the end of its logs.
pub fn recover(planned: &PlannedPoint, requests: &[LoggedRequest], seconds: &[LoggedSecond]) -> Measured {
    let mut runs: BTreeMap<(u32, u32), Written> = BTreeMap::new();
    for request in requests {
        runs.entry((request.size, request.replication)).or_default().requests.push(*request);
    }
    for second in seconds {
        // a run of which no request was written has nothing to recover
        if let Some(run) = runs.get_mut(&(second.size, second.replication)) {
            run.seconds.push(*second);
        }
    }
    let mut measured = Measured::default();
    for ((size, replication), mut written) in runs {
        written.requests.sort_by_key(|request| request.sequence);
        recover_run(planned, (size, replication), &written, &mut measured.experiments);
    }
    measured
}

fn recover_run(
    planned: &PlannedPoint,
    (size, replication): (u32, u32),
    Written { requests, seconds }: &Written,
    experiments: &mut Vec<Experiment>,
) {
    let packets = packets(requests);
    let estimate = ClockEstimate::of(packets.all()).filter(|_| !has_restarted(requests));
    let end = packets.all().last().map_or(Time::ZERO, |last| last.sent);
    let errors = NetworkErrors::default();
    let outages = RunOutages::of(packets.all(), planned.timeout, (Time::ZERO, end), replication, &errors);
    let mut begins = Time::ZERO;
    for (index, phase) in (0..).zip(&planned.phases) {
        let ends = begins + phase.duration;
        let range = requests.partition_point(|request| request.phase < index)
            ..requests.partition_point(|request| request.phase <= index);
        if phase.recorded && !range.is_empty() {
            let lasted = ends.min(end).since(begins).max(Duration::from_nanos(1));
            let mut record =
                phase_metrics::record(&packets, range.clone(), planned.timeout, estimate.as_ref(), lasted, None);
            let within = &packets.all()[range.clone()];
            time_series::of_requests(&mut record, within, planned.timeout, Time::ZERO);
            if let Some(estimate) = &estimate {
                time_series::of_one_way(&mut record, within, estimate, planned.timeout, Time::ZERO);
            }
            let mut missing = vec!["the noise floor"];
            if !of_directions(&mut record, &packets, range, planned.timeout, last_counts(seconds, index)) {
                missing.push("loss by direction");
            }
            if phase.loaded {
                let has_throughput = of_load(&mut record, seconds, (begins, ends));
                missing.push(if has_throughput { "goodput of each stream" } else { "the goodput of the load" });
                missing.push("loss of the load");
            } else {
                record.observe("throughput", Observation::NotApplicable);
            }
            let listed = outages.of_phase(within, (begins, ends.min(end)), &mut record);
            let experiment = Experiment::of(experiments, phase.name, size, planned.several_sizes);
            experiment.records.push(record);
            experiment.duration = experiment.duration.max(lasted);
            experiment.outages.extend(listed);
            if ends > end {
                let missing = missing.join(", ");
                experiment.failure = Some(format!(
                    "the measurement did not end; this is what it had written, which is without {missing}"
                ));
            }
        }
        begins = ends;
    }
}

/// What the peer counted last of a phase.
fn last_counts(seconds: &[LoggedSecond], phase: u32) -> Option<LoggedCounts> {
    seconds.iter().rev().filter_map(|second| second.counted).find(|counted| counted.phase == phase)
}

/// Records the faults of each direction among the requests that had been sent when the peer was asked last; false if it was
/// not.
fn of_directions(
    record: &mut Record,
    packets: &Packets,
    phase: std::ops::Range<usize>,
    timeout: Duration,
    counted: Option<LoggedCounts>,
) -> bool {
    let Some(counted) = counted else { return false };
    let asked = Time::ZERO + Duration::from_nanos(counted.at_ns);
    let within = &packets.all()[phase.clone()];
    let sent = phase.start..phase.start + within.partition_point(|packet| packet.sent < asked);
    let verdicts = Verdicts::of(&packets.all()[sent.clone()], timeout);
    direction_metrics::record_metrics(record, packets, sent, verdicts, Some(&counted.counts()));
    true
}

/// Records the goodput of a load in a phase, from its first sample with data to the last; false without two of them.
fn of_load(record: &mut Record, seconds: &[LoggedSecond], (begins, ends): (Time, Time)) -> bool {
    let at = |second: &LoggedSecond| Time::ZERO + Duration::from_nanos(second.at_ns);
    let within = seconds.iter().filter(|second| (begins..=ends).contains(&at(second)));
    let samples: Vec<(Time, u64)> = within.filter_map(|second| Some((at(second), second.load_octets?))).collect();
    let idle = samples.windows(2).take_while(|pair| pair[0].1 == pair[1].1).count();
    let carried = &samples[idle.min(samples.len())..];
    let (Some((first, before)), Some((last, after))) = (carried.first(), carried.last()) else { return false };
    let span_s = last.since(*first).seconds();
    if span_s > 0.0 {
        time_series::of_load(record, carried, Time::ZERO);
        record.scalar("throughput", 8.0 * after.saturating_sub(*before) as f64 / span_s);
    }
    span_s > 0.0
}

/// The packets as they were, counted from the start of the first phase.
fn packets(requests: &[LoggedRequest]) -> Packets {
    let at = |ns: u64| Time::ZERO + Duration::from_nanos(ns);
    let first = requests.first();
    let packets = Packets::starting_at(first.map_or(0, |first| first.sequence));
    let mut packets = packets.of_class(first.and_then(|first| first.sent_class));
    for request in requests {
        packets.sent(at(request.intended_ns), at(request.sent_ns));
    }
    let first = packets.first_sequence();
    let mut answered: Vec<(u64, &LoggedRequest)> =
        (first..).zip(requests).filter(|(_, request)| request.received_ns.is_some()).collect();
    // in the order of arrival, by which reordering is counted
    answered.sort_by_key(|(_, request)| request.received_ns);
    for (sequence, request) in answered {
        if let Some(departed) = request.departed_ns {
            packets.departed(TxTimestamp { sequence, at: at(departed) });
        }
        let far = request.far_received_ns.map(|received| PeerTimes {
            received,
            sent: request.far_sent_ns,
            earlier: None,
            class: request.far_class,
            kernel: true,
        });
        let response = Response {
            sequence,
            received: at(request.received_ns.unwrap_or_default()),
            kernel_received: request.arrived_ns.map(at),
            far,
            class: request.received_class,
        };
        for _ in 0..=request.duplicates {
            packets.answered(response);
        }
    }
    packets
}

/// Whether the peer's clock began anew: it never runs backwards otherwise.
fn has_restarted(requests: &[LoggedRequest]) -> bool {
    let times: Vec<u64> = requests.iter().filter_map(|request| request.far_received_ns).collect();
    let second = 1_000_000_000;
    times.windows(2).any(|pair| pair[1] + second < pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request every 10 ms, answered after 1 ms by a peer that is 5 ns ahead, but for those in `lost`.
    fn requests(number: u64, lost: std::ops::Range<u64>) -> Vec<LoggedRequest> {
        let request = |sequence: u64| {
            let sent_ns = 10_000_000 * sequence;
            let answered = |ns: u64| (!lost.contains(&sequence)).then_some(sent_ns + ns);
            LoggedRequest {
                point: 0,
                size: 64,
                replication: 0,
                phase: u32::from(sequence >= 200),
                sequence,
                sent_unix_ns: 0,
                intended_ns: sent_ns,
                sent_ns,
                departed_ns: answered(1000),
                arrived_ns: answered(999_000),
                received_ns: answered(1_000_000),
                far_received_ns: answered(500_000),
                far_sent_ns: answered(500_500),
                sent_class: Some(2),
                far_class: Some(2),
                received_class: answered(0).map(|_| 2 + u8::from(sequence < 3)),
                duplicates: u32::from(sequence == 7),
            }
        };
        (0..number).map(request).collect()
    }

    fn planned() -> PlannedPoint {
        let phase =
            |name| PlannedPhase { name, duration: Duration::from_secs(2), recorded: true, loaded: name == "loaded" };
        PlannedPoint {
            phases: vec![phase("idle"), phase("loaded")],
            timeout: Duration::from_secs(1),
            several_sizes: false,
        }
    }

    #[test]
    fn what_was_written_has_the_metrics_of_its_phases() {
        let measured = recover(&planned(), &requests(300, 0..0), &[]);
        let [idle, loaded] = &measured.experiments[..] else { panic!("two phases") };
        assert_eq!((idle.failure.as_deref(), idle.records[0].distribution("response_time").count()), (None, 200));
        assert_eq!(loaded.records[0].distribution("response_time").count(), 100);
        assert!(loaded.failure.as_deref().unwrap().contains("did not end"));
        let record = &idle.records[0];
        assert_eq!(record.distribution("response_time").max(), Some(Duration::from_millis(1)));
        assert_eq!((record.value("loss"), record.total("duplicates")), (0.0, 1));
        assert_eq!(record.total("marks"), 3);
        assert!(record.distribution("path_time").count() == 200);
        assert!(record.metrics.contains_key("one_way_delay/forward"));
    }

    #[test]
    fn outages_are_listed_as_in_a_measurement_that_ended() {
        let measured = recover(&planned(), &requests(300, 50..170), &[]);
        let [outage] = &measured.experiments[0].outages[..] else { panic!("one outage") };
        assert_eq!((outage.begin, outage.end, outage.requests), (0.5, Some(1.7), 120));
        assert_eq!(measured.experiments[0].records[0].value("outage_time"), 1.2);
    }

    #[test]
    fn what_the_peer_counted_and_the_load_carried_has_its_metrics_and_the_rest_is_named() {
        // of the last phase 7 of 10 requests lost had reached the peer when it was asked at 2.9 s
        let counted = |phase, at_ms: u64, received| LoggedCounts {
            phase,
            at_ns: at_ms * 1_000_000,
            received,
            duplicates: 2,
            reordered: 0,
            socket_drops: Some(0),
        };
        let second = |at_ms: u64, load_octets, counted| LoggedSecond {
            point: 0,
            size: 64,
            replication: 0,
            at_ns: at_ms * 1_000_000,
            load_octets: Some(load_octets),
            counted: Some(counted),
        };
        let seconds = [
            second(1000, 0, counted(0, 900, 90)),
            second(2000, 0, counted(0, 1900, 190)),
            second(2100, 0, counted(0, 2000, 200)),
            second(2500, 50_000, counted(1, 2400, 40)),
            second(2995, 99_500, counted(1, 2900, 87)),
        ];
        let measured = recover(&planned(), &requests(300, 270..280), &seconds);
        let [idle, loaded] = &measured.experiments[..] else { panic!("two phases") };
        let record = &idle.records[0];
        assert_eq!(record.metrics["loss/forward"], Observation::Share { part: 0, of: 200 });
        assert_eq!(record.metrics["throughput"], Observation::NotApplicable);
        let record = &loaded.records[0];
        assert_eq!(record.metrics["loss/forward"], Observation::Share { part: 3, of: 90 });
        assert_eq!(record.metrics["loss/return"], Observation::Share { part: 7, of: 87 });
        assert!((record.value("throughput") - 8.0 * 99_500.0 / 0.895).abs() < 1.0);
        let failure = loaded.failure.as_deref().unwrap();
        assert!(failure.ends_with("without the noise floor, goodput of each stream, loss of the load"), "{failure}");
        let without = recover(&planned(), &requests(300, 270..280), &[]);
        let failure = without.experiments[1].failure.as_deref().unwrap();
        assert!(failure.contains("loss by direction, the goodput of the load"), "{failure}");
    }
}
