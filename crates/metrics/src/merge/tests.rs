use super::*;
use sojourn_core::Duration;

fn samples(micros: &[u64]) -> Observation {
    let mut distribution = Distribution::new();
    micros.iter().for_each(|&n| distribution.record(Duration::from_micros(n)));
    Observation::Distribution(distribution)
}

fn records(name: &str, observations: impl IntoIterator<Item = Observation>) -> Vec<Record> {
    let record = |observation| {
        let mut record = Record::default();
        record.observe(name, observation);
        record
    };
    observations.into_iter().map(record).collect()
}

fn close(found: Option<f64>, wanted: f64) -> bool {
    found.is_some_and(|found| (found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-3))
}

#[test]
fn a_distribution_pools_its_quantiles_and_averages_its_means() {
    let records = records("response_time", [samples(&[10, 20, 30]), samples(&[50])]);
    let metric = &merge(&records)["response_time"];
    assert_eq!(metric.field("count"), Some(4.0));
    assert!(close(metric.field("mean"), 35e-6), "the mean of 20 and 50 µs");
    assert!(close(metric.field("p50"), 20e-6), "the second of four samples");
    assert!(close(metric.field("min_mean"), 30e-6));
    assert!(close(metric.field("max"), 50e-6));
    assert!(metric.interval("mean").is_some());
}

#[test]
fn a_distribution_without_samples_is_an_object_of_nulls() {
    let metric = &merge(&records("response_time", [samples(&[]), samples(&[])]))["response_time"];
    let json = serde_json::to_value(metric).unwrap();
    assert_eq!(json["count"], 0);
    for field in ["min", "min_mean", "mean", "max", "max_mean", "p50", "p90", "p95", "p99", "p999", "sd", "ci95"] {
        assert!(json.as_object().unwrap().contains_key(field), "{field} is missing");
        assert!(json[field].is_null(), "{field} is not null");
    }
}

#[test]
fn quantiles_with_few_samples_beyond_are_called_weak() {
    // in an order without a trend
    let many: Vec<u64> = (1..=2000).map(|n| n * 1009 % 2001).collect();
    let metric = &merge(&records("response_time", [samples(&many)]))["response_time"];
    let Metric::Distribution(summary) = metric else { panic!("a distribution") };
    assert_eq!(summary.weak, ["p999"]);
    assert!(close(summary.p95, 1900e-6) && close(summary.p99, 1980e-6));
}

#[test]
fn the_95_percent_quantile_has_an_interval_and_a_value_in_every_replication() {
    // 1 to 100 µs twice and 11 to 110 µs: up to 98 µs are 2 · 98 + 88 = 284 of 300, and the 285th takes 99 µs
    let all = [0, 0, 10].map(|more| samples(&(1..=100).map(|n| more + n * 37 % 101).collect::<Vec<u64>>()));
    let metric = &merge(&records("response_time", all))["response_time"];
    assert!(close(metric.field("p95"), 99e-6), "{:?}", metric.field("p95"));
    let (low, high) = metric.interval("p95").expect("an interval");
    assert!(low < 99e-6 && high.is_none_or(|high| 99e-6 < high), "{low} to {high:?}");
    let each = &metric.by_replication()["p95"];
    assert!(each.iter().zip([95e-6, 95e-6, 105e-6]).all(|(found, wanted)| close(*found, wanted)), "{each:?}");
}

#[test]
fn a_hundred_samples_of_one_burst_are_few() {
    // 50 samples in a thousand are long, all in one replication of ten
    let calm: Vec<u64> = (1..=100).map(|n| n * 37 % 101).collect();
    let burst: Vec<u64> = calm.iter().map(|n| n + 500 * u64::from(*n > 50)).collect();
    let all = (0..10).map(|index| samples(if index == 3 { &burst } else { &calm }));
    let metric = &merge(&records("response_time", all))["response_time"];
    let Metric::Distribution(summary) = metric else { panic!("a distribution") };
    assert!(summary.weak.iter().any(|name| name == "p99"), "{:?}", summary.weak);
}

#[test]
fn a_count_is_the_total_and_its_interval_that_of_the_total() {
    let counts = [3, 5, 4].map(Observation::Count);
    let metric = &merge(&records("failures", counts))["failures"];
    assert_eq!(metric.field("value"), Some(12.0));
    let (low, high) = metric.interval("value").unwrap();
    // s = 1, t(2) = 4.303: 3 · (4 ± 4.303/√3) = 4.547 to 19.453; of 12 independent events alone 6.201 to 20.962
    assert!((high.unwrap() - 20.962).abs() < 1e-3 && (low - 4.547).abs() < 1e-3, "{low} {high:?}");
}

#[test]
fn no_event_in_any_replication_leaves_room_for_some() {
    for replications in [1, 10] {
        let none = (0..replications).map(|_| Observation::Count(0));
        let (low, high) = merge(&records("failures", none))["failures"].interval("value").unwrap();
        assert!(low == 0.0 && (high.unwrap() - 3.689).abs() < 1e-3, "{low} {high:?}");
    }
}

#[test]
fn a_share_has_the_exact_interval_of_its_trials_or_a_wider_one_of_the_replications() {
    let none = (0..10).map(|_| Observation::Share { part: 0, of: 10 });
    let (low, high) = merge(&records("loss", none))["loss"].interval("value").unwrap();
    assert!(low == 0.0 && (high.unwrap() - 0.0362).abs() < 1e-4, "{low} {high:?}");
    // all or nothing: the trials of a replication are not independent
    let burst = [0, 100, 0, 100].map(|part| Observation::Share { part, of: 100 });
    let metric = &merge(&records("loss", burst))["loss"];
    assert_eq!((metric.field("value"), metric.interval("value")), (Some(0.5), Some((0.0, Some(1.0)))));
}

#[test]
fn the_interval_of_a_time_never_goes_below_zero() {
    let metric = &merge(&records("response_time", [samples(&[1]), samples(&[90])]))["response_time"];
    assert_eq!(metric.interval("mean").unwrap().0, 0.0);
    let jitter = [0.001, 0.09].map(Observation::Scalar);
    assert_eq!(merge(&records("jitter_rfc3550", jitter))["jitter_rfc3550"].interval("value").unwrap().0, 0.0);
    let offset = [0.001, 0.09].map(Observation::Scalar);
    assert!(merge(&records("clock_offset", offset))["clock_offset"].interval("value").unwrap().0 < 0.0);
}

#[test]
fn samples_that_never_came_back_are_longer_than_anything_in_quantiles_and_not_in_the_mean() {
    let lossy = |lost: u64| {
        let mut distribution = Distribution::new();
        (1..=100 - lost).for_each(|n| distribution.record(Duration::from_micros(n)));
        distribution.censor(lost);
        Observation::Distribution(distribution)
    };
    let metric = &merge(&records("response_time", [lossy(2), lossy(2), lossy(2)]))["response_time"];
    let json = serde_json::to_value(metric).unwrap();
    assert_eq!((json["count"].as_u64(), json["sent"].as_u64()), (Some(294), Some(300)));
    assert!(close(metric.field("mean"), 49.5e-6) && close(metric.field("p50"), 50e-6));
    assert_eq!(json["not_reached"], serde_json::json!(["p99", "p999"]));
    assert!(json["p99"].is_null() && json["p99_ci95"][1].is_null() && json["p99_ci95"][0].is_f64());
    assert!(metric.is_not_reached("p99") && !metric.is_not_reached("p95"));
}

#[test]
fn a_flow_that_delivered_nothing_is_a_distribution_of_what_was_sent() {
    let mut distribution = Distribution::new();
    distribution.censor(257);
    let metric = &merge(&records("response_time", [Observation::Distribution(distribution)]))["response_time"];
    assert_eq!((metric.field("count"), metric.field("sent"), metric.field("mean")), (Some(0.0), Some(257.0), None));
    assert!(metric.is_not_reached("p50"));
}

#[test]
fn one_replication_gives_values_without_intervals() {
    let one = records("utilisation", [Observation::Scalar(0.25)]);
    let metric = &merge(&one)["utilisation"];
    assert_eq!((metric.field("value"), metric.interval("value")), (Some(0.25), None));
}

#[test]
fn a_metric_that_does_not_apply_keeps_its_registered_shape() {
    let shape = |name| merge(&records(name, [Observation::NotApplicable]))[name].clone();
    assert!(matches!(shape("transaction_time"), Metric::Distribution(summary) if summary.count == 0));
    assert!(
        matches!(shape("transaction_rate"), Metric::Scalar(summary) if summary.value.is_none() && summary.applies == Some(false) && summary.ci95.is_none())
    );
    assert!(matches!(shape("backlog"), Metric::TimeWeighted(summary) if summary.mean.is_none()));
}

#[test]
fn a_budget_becomes_one_metric_per_component_and_their_means_add_up() {
    let observed = |offset: u64| {
        let mut budget = Budget::new(&["waiting", "service"]);
        (0..200).for_each(|n| budget.record(&[Duration::from_micros(n * offset), Duration::from_micros(7)]));
        Observation::Budget(budget)
    };
    let metrics = merge(&records("delay_budget", [observed(1), observed(3)]));
    assert_eq!(metrics.keys().collect::<Vec<_>>(), ["delay_budget/service", "delay_budget/waiting"]);
    assert!(close(metrics["delay_budget/waiting"].field("mean"), 199e-6));
    let shares: f64 = metrics.values().map(|metric| metric.field("share").unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    assert!(metrics["delay_budget/waiting"].field("slowest_share") > metrics["delay_budget/waiting"].field("share"));
}

#[test]
fn a_record_may_name_a_unit_of_its_own() {
    let mut all = records("queue_length/desk", [Observation::TimeWeighted { mean: 1.0, max: 2.0 }]);
    assert_eq!(merge(&all)["queue_length/desk"].unit(), "cells");
    all[0].units.insert("queue_length".into(), "customers".into());
    assert_eq!(merge(&all)["queue_length/desk"].unit(), "customers");
}

#[test]
fn replications_keep_their_values_for_paired_comparisons() {
    let metric = &merge(&records("response_time", [samples(&[10]), samples(&[]), samples(&[30])]))["response_time"];
    let means = &metric.by_replication()["mean"];
    assert_eq!(means.len(), 3);
    assert!(close(means[0], 10e-6) && means[1].is_none() && close(means[2], 30e-6));
}

#[test]
fn one_way_delays_carry_the_error_bound_of_the_clock() {
    let mut record = Record::default();
    for name in ["one_way_delay/forward", "one_way_delay/return", "response_time"] {
        record.observe(name, samples(&[20, 30]));
    }
    record.scalar("clock_error", 0.02);
    let metrics = merge(&[record]);
    let error = |name: &str| match &metrics[name] {
        Metric::Distribution(summary) => summary.error,
        other => panic!("{other:?}"),
    };
    let names = ["one_way_delay/forward", "one_way_delay/return", "response_time"];
    assert_eq!(names.map(error), [Some(0.02), Some(0.02), None]);
}

#[test]
fn an_estimate_has_its_own_interval() {
    let estimate = |value| Observation::Estimate { value, interval: [value - 2.0, value + 2.0] };
    let skew = |observations: Vec<Observation>| match &merge(&records("clock_skew", observations))["clock_skew"] {
        Metric::Scalar(summary) => (summary.value.unwrap(), summary.ci95),
        other => panic!("{other:?}"),
    };
    assert_eq!(skew(vec![estimate(5.0)]), (5.0, Some([3.0, 7.0])));
    let (value, interval) = skew(vec![estimate(5.0), estimate(5.0), estimate(8.0)]);
    let [low, high] = interval.unwrap();
    assert!((value - 6.0).abs() < 1e-12 && low <= 4.0 && high >= 8.0, "{low} {high}");
}
