//! Means that control variates correct, against the closed forms of queueing theory.

use sojourn_core::{Duration, Time};
use sojourn_engine::arrivals::Arrivals;
use sojourn_engine::law::{Law, Shape};
use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::{ControlVariates, Metric};

use super::scenario::{FlowSettings, Settings, Source, StationSettings};
use sojourn_model::{Drawn, Model, Replication};

const MEAN: Duration = Duration::from_millis(8);
const WARM_UP: Duration = Duration::from_secs(2);
const OBSERVED: Duration = Duration::from_secs(20);
const EXPONENTIAL: Law = Law::exponential(MEAN);

/// Customers with this gap at stations with this service, one after the other.
fn line(stations: usize, service: Law, gap_ms: u64) -> Settings {
    let station =
        |number| StationSettings { name: format!("s{number}"), servers: 1, service: service.clone(), capacity: None };
    let process = Arrivals::Poisson { mean_gap: Duration::from_millis(gap_ms) }.start();
    let flow = FlowSettings {
        name: "customers".to_owned(),
        path: (0..stations).collect(),
        source: Source::Open { process, begin: Time::ZERO },
        probe: true,
        silent: false,
    };
    Settings { stations: (0..stations).map(station).collect(), flows: vec![flow], events: None }
}

fn drawn(seed: u64, index: u32) -> Drawn {
    Drawn { seed, index, warm_up: WARM_UP, duration: OBSERVED }
}

/// Replications with their control variates.
fn records(settings: &Settings, seed: u64, count: u32) -> Vec<Record> {
    let one = |index| {
        let replication = Replication { seed, index, warm_up: WARM_UP, ..Replication::alone(OBSERVED) };
        Record { controls: settings.controls(drawn(seed, index)), ..settings.replicate(replication) }
    };
    (0..count).map(one).collect()
}

/// Mean and interval of a metric, and what control variates did to them.
fn corrected(name: &str, records: &[Record]) -> (f64, [f64; 2], ControlVariates) {
    let metric = merge_metric(name, records).unwrap();
    let control = match &metric {
        Metric::Distribution(summary) => summary.control_variates.clone(),
        Metric::TimeWeighted(summary) => summary.control_variates.clone(),
        _ => None,
    };
    let (low, high) = metric.interval("mean").unwrap();
    (metric.field("mean").unwrap(), [low, high.unwrap()], *control.expect("it is corrected"))
}

#[test]
fn intervals_hold_the_mean_as_often_as_without_and_are_narrower_and_the_mean_stays() {
    // M/M/1 at 0.5: 16 ms, of 8 ms of service; and two of them one after the other (Burke, 1956)
    for (stations, replications, experiments) in [(1, 20, 100), (2, 30, 40)] {
        let settings = line(stations, EXPONENTIAL, 16);
        let truth = 0.016 * stations as f64;
        let (mut held, mut saved, mut errors) = (0, Vec::new(), Vec::new());
        for seed in 1..=experiments {
            let (mean, [low, high], control) = corrected("response_time", &records(&settings, seed, replications));
            assert_eq!(control.variates.len(), 1 + stations);
            held += u64::from(low <= truth && truth <= high);
            saved.push(control.saved);
            errors.push(mean - truth);
        }
        let of = experiments as f64;
        // three standard deviations below 95 %
        let least = 0.95 * of - 3.0 * (0.95 * 0.05 * of).sqrt();
        assert!(held as f64 > least, "{held} of {experiments}");
        saved.sort_by(f64::total_cmp);
        assert!(saved[saved.len() / 2] > 1.5, "{}", saved[saved.len() / 2]);
        let bias = errors.iter().sum::<f64>() / of;
        let deviation = (errors.iter().map(|error| (error - bias) * (error - bias)).sum::<f64>() / of).sqrt();
        assert!(bias.abs() < 3.5 * deviation / of.sqrt(), "{bias} {deviation}");
    }
}

#[test]
fn each_deviation_has_the_expectation_0() {
    let settings = line(2, EXPONENTIAL, 16);
    let all: Vec<_> = (0..400).map(|index| settings.controls(drawn(7, index))).collect();
    for name in ["arrivals/customers", "service/s0", "service/s1"] {
        let values: Vec<f64> = all.iter().map(|deviations| deviations[name]).collect();
        let mean = values.iter().sum::<f64>() / 400.0;
        let deviation = (values.iter().map(|value| value * value).sum::<f64>() / 400.0).sqrt();
        assert!(deviation > 0.0 && mean.abs() < 3.5 * deviation / 20.0, "{name}: {mean} {deviation}");
    }
    assert_eq!(all[0].len(), 3);
}

#[test]
fn the_draws_are_those_of_the_run() {
    // customers who never wait: their mean response time is their mean service, and who comes is counted by the run
    let settings = line(1, EXPONENTIAL, 10_000);
    let long = Duration::from_secs(4_000_000);
    for index in 0..5 {
        let record = settings.replicate(Replication { index, ..Replication::alone(long) });
        let deviations = settings.controls(Drawn { seed: 1, index, warm_up: Duration::ZERO, duration: long });
        let came = record.value("transaction_rate") * long.seconds();
        assert!((deviations["arrivals/customers"] + 400_000.0 - came).abs() < 1.5, "{came} {deviations:?}");
        let worked = record.value("utilisation") * long.seconds();
        let served = deviations["service/s0"] + 400_000.0 * 0.008;
        // the run serves as many more customers as have come, each 8 ms or so
        let more = 0.008 * deviations["arrivals/customers"];
        assert!((worked - served - more).abs() < 1.2, "{worked} {served} {more}");
    }
}

#[test]
fn what_has_no_exact_mean_is_no_control() {
    let constant = line(1, Law::constant(MEAN), 16);
    assert_eq!(constant.controls(drawn(1, 0)).into_keys().collect::<Vec<_>>(), ["arrivals/customers"]);
    let normal = line(1, Law { mean: MEAN, shape: Shape::Normal(0.3) }, 16);
    assert_eq!(normal.controls(drawn(1, 0)).len(), 1);
    let mut closed = line(1, EXPONENTIAL, 16);
    closed.flows[0].source = Source::Closed { population: 5, think: EXPONENTIAL };
    assert!(closed.controls(drawn(1, 0)).is_empty());
}

#[test]
fn queues_are_corrected_as_their_customers_are_and_too_few_runs_stay() {
    let settings = line(1, Law::constant(MEAN), 16);
    let records = records(&settings, 1, 40);
    let (mean, [low, high], control) = corrected("queue_length", &records);
    // M/D/1 at 0.5: 0.5 + 0.25 / (2 * 0.5)
    assert!(low <= 0.75 && 0.75 <= high && control.saved > 1.5, "{mean} {control:?}");
    assert!(control.plain_ci95[0] < low && high < control.plain_ci95[1], "{low} {high} {control:?}");
    let Some(Metric::Distribution(few)) = merge_metric("response_time", &records[..19]) else {
        panic!("a distribution")
    };
    assert_eq!(few.control_variates, None);
}
