//! The metrics of a measurement that did not end, from the requests that were written until then.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

use super::line::LoggedRequest;
use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::measured::{Experiment, Measured};
use crate::prober::outages::{NetworkErrors, RunOutages};
use crate::prober::packets::Packets;
use crate::prober::peer::{PeerTimes, Response, TxTimestamp};
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

/// What was measured of a point until the end of its log.
pub fn recover(planned: &PlannedPoint, requests: &[LoggedRequest]) -> Measured {
    let mut runs: BTreeMap<(u32, u32), Vec<LoggedRequest>> = BTreeMap::new();
    for request in requests {
        runs.entry((request.size, request.replication)).or_default().push(*request);
    }
    let mut measured = Measured::default();
    for ((size, replication), mut requests) in runs {
        requests.sort_by_key(|request| request.sequence);
        recover_run(planned, (size, replication), &requests, &mut measured.experiments);
    }
    measured
}

fn recover_run(
    planned: &PlannedPoint,
    (size, replication): (u32, u32),
    requests: &[LoggedRequest],
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
            let within = &packets.all()[range];
            time_series::of_requests(&mut record, within, planned.timeout, Time::ZERO);
            if let Some(estimate) = &estimate {
                time_series::of_one_way(&mut record, within, estimate, planned.timeout, Time::ZERO);
            }
            let listed = outages.of_phase(within, (begins, ends.min(end)), &mut record);
            let experiment = Experiment::of(experiments, phase.name, size, planned.several_sizes);
            experiment.records.push(record);
            experiment.duration = experiment.duration.max(lasted);
            experiment.outages.extend(listed);
            if ends > end {
                experiment.failure = Some("the measurement did not end; this is what it had written".to_owned());
            }
        }
        begins = ends;
    }
}

/// The packets as they were, counted from the start of the first phase.
fn packets(requests: &[LoggedRequest]) -> Packets {
    let at = |ns: u64| Time::ZERO + Duration::from_nanos(ns);
    let mut packets = Packets::starting_at(requests.first().map_or(0, |first| first.sequence));
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
            kernel: true,
        });
        let response = Response {
            sequence,
            received: at(request.received_ns.unwrap_or_default()),
            kernel_received: request.arrived_ns.map(at),
            far,
            marked: request.ce,
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
                ce: None,
                duplicates: u32::from(sequence == 7),
            }
        };
        (0..number).map(request).collect()
    }

    fn planned() -> PlannedPoint {
        let phase = |name| PlannedPhase { name, duration: Duration::from_secs(2), recorded: true };
        PlannedPoint {
            phases: vec![phase("idle"), phase("loaded")],
            timeout: Duration::from_secs(1),
            several_sizes: false,
        }
    }

    #[test]
    fn what_was_written_has_the_metrics_of_its_phases() {
        let measured = recover(&planned(), &requests(300, 0..0));
        let [idle, loaded] = &measured.experiments[..] else { panic!("two phases") };
        assert_eq!((idle.failure.as_deref(), idle.records[0].distribution("response_time").count()), (None, 200));
        assert_eq!(loaded.records[0].distribution("response_time").count(), 100);
        assert!(loaded.failure.as_deref().unwrap().contains("did not end"));
        let record = &idle.records[0];
        assert_eq!(record.distribution("response_time").max(), Some(Duration::from_millis(1)));
        assert_eq!((record.value("loss"), record.total("duplicates")), (0.0, 1));
        assert!(record.distribution("path_time").count() == 200);
        assert!(record.metrics.contains_key("one_way_delay/forward"));
    }

    #[test]
    fn outages_are_listed_as_in_a_measurement_that_ended() {
        let measured = recover(&planned(), &requests(300, 50..170));
        let [outage] = &measured.experiments[0].outages[..] else { panic!("one outage") };
        assert_eq!((outage.begin, outage.end, outage.requests), (0.5, Some(1.7), 120));
        assert_eq!(measured.experiments[0].records[0].value("outage_time"), 1.2);
    }
}
