//! Checks that a condition names an existing metric and field, uses its unit, and that its samples are recorded.

use sojourn_metrics::registry;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::{Expectation, Problem, Problems, Scenario};

use crate::condition_unit::ConditionUnit;
use sojourn_model::Information;

/// `response_time.p99` in two; a name alone stands for its shape's main field.
pub fn metric_and_field(text: &str) -> (&str, &str) {
    match text.rsplit_once('.') {
        Some(parts) => parts,
        None => match registry::find(text).map(|information| information.shape) {
            Some(registry::Shape::Scalar) => (text, "value"),
            _ => (text, "mean"),
        },
    }
}

/// A condition or precision on a metric that does not exist, or a field its shape lacks, is a mistake.
pub fn refuse_unknown_metric(text: &str, metric: &str, field: &str) -> Result<(), Problems> {
    let argument = |message: String| Problem::argument(text, 0..text.len(), message);
    let Some(information) = registry::find(metric) else {
        let known = registry::all().iter().map(|information| information.name);
        let problem = argument(format!("there is no metric `{metric}`"));
        return Err(problem.maybe_help(suggestion(metric, known)).into());
    };
    let fields = fields_of(information.shape);
    if !fields.contains(&field) {
        let problem = argument(format!("`{metric}` has no field `{field}`"));
        return Err(problem.maybe_help(suggestion(field, fields.iter().copied())).into());
    }
    Ok(())
}

/// What only a probe samples.
const PROBED: &[&str] = &[
    "response_time",
    "transaction_time",
    "delay_budget",
    "failures",
    "jitter_p95_p50",
    "jitter_rfc3550",
    "ipdv",
    "pdv",
];

/// The fields a metric of a shape has.
fn fields_of(shape: registry::Shape) -> &'static [&'static str] {
    match shape {
        registry::Shape::Distribution => &[
            "count", "sent", "never", "min", "min_mean", "mean", "max", "max_mean", "p50", "p90", "p95", "p99", "p999",
            "sd", "bound",
        ],
        registry::Shape::Scalar => &["value"],
        registry::Shape::TimeWeighted => &["mean", "max", "bound"],
        registry::Shape::Budget => &["mean", "share", "slowest_mean", "slowest_share"],
    }
}

/// Whether a field has a confidence interval, so that replications decide it.
pub fn has_interval(field: &str) -> bool {
    matches!(field, "value" | "mean" | "p50" | "p90" | "p95" | "p99" | "p999")
}

/// Refuses the entries of `[expect]` that are wrong, as [`refuse_wrong_condition`] does.
pub fn refuse_wrong_expectations(scenario: &Scenario, network: &Information) -> Result<(), Problems> {
    let wrong =
        scenario.expectations().iter().filter_map(|condition| refuse_unsampled(condition, scenario, network).err());
    Problems(wrong.flat_map(|found| found.0).collect()).or(())
}

/// The same, and refuses a condition on what nothing in the scenario samples.
pub fn refuse_unsampled(condition: &Expectation, scenario: &Scenario, network: &Information) -> Result<(), Problems> {
    refuse_wrong_condition(condition)?;
    let name = condition.metric.split('/').next().unwrap_or_default();
    let metrics = network.metrics;
    if !metrics.contains(&name) && !scenario.is_measured() {
        let problem = Problem::at(condition.place.clone(), format!("a {} network has no `{name}`", scenario.kind));
        return Err(problem.maybe_help(suggestion(name, metrics.iter().copied())).into());
    }
    if let Some(problem) = other_service(condition, name, scenario) {
        return Err(problem.into());
    }
    let samples_all = network.samples_without_probe;
    if let Some(help) = scenario.missing_probe().filter(|_| PROBED.contains(&name) && !samples_all) {
        let message = format!("nothing samples `{}`: the scenario has no probe", condition.metric);
        let problem = Problem::at(condition.place.clone(), message);
        return Err(problem.help(help).into());
    }
    Ok(())
}

/// A condition on what is sampled of requests where all that is probed are streams and calls, or the reverse.
fn other_service(condition: &Expectation, name: &str, scenario: &Scenario) -> Option<Problem> {
    let [requests, streams, calls] = scenario.probed_services().filter(|_| !scenario.is_measured())?;
    let (of, probed, help) = match name {
        "response_time" | "transaction_time" | "delay_budget" if !requests && (streams || calls) => {
            ("requests", "streams and calls", "write `one_way_delay`, of streams and calls")
        }
        "one_way_delay" if requests && !streams && !calls => {
            ("streams and calls", "requests", "write `response_time`, of requests")
        }
        "mos" | "r_factor" | "play_out_loss" | "play_out_delay" if !calls && (requests || streams) => {
            let help = if requests { "write `response_time` or `loss`" } else { "write `one_way_delay` or `loss`" };
            ("calls", if requests { "requests" } else { "streams" }, help)
        }
        _ => return None,
    };
    let message = format!("`{name}` is sampled of {of}, and what is probed here are {probed}");
    Some(Problem::at(condition.place.clone(), message).help(help))
}

/// Refuses a condition on an unknown metric or field, or with a value that is not in the metric's unit.
pub fn refuse_wrong_condition(condition: &Expectation) -> Result<(), Problems> {
    let Expectation { text, metric, field, place, .. } = condition;
    refuse_unknown_metric(text, metric, field).map_err(|found| {
        let placed = |problem: Problem| Problem { place: place.clone().or(problem.place), ..problem };
        Problems(found.0.into_iter().map(placed).collect())
    })?;
    let unit = registry::find(metric).map(|information| ConditionUnit::of(information, field));
    unit.map_or(Ok(()), |unit| unit.refuse_other(condition).map_err(Problems::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        let problems = refuse_wrong_condition(&Expectation::parse(text).unwrap()).err()?;
        let problem = &problems.0[0];
        assert!(problem.place.is_some(), "{text}");
        Some(format!("{} | {}", problem.message, problem.help.as_deref().unwrap_or_default()))
    }

    #[test]
    fn a_time_needs_a_unit_of_time() {
        assert_eq!(
            refused("response_time.p99 < 300").unwrap(),
            "`response_time` is a time, and `300` has no unit | write \"< 300 ms\" or another unit of it: ps, ns, µs, ms, s, min, h, day"
        );
        assert_eq!(
            refused("response_time.p99 < 20 kbit/s").unwrap(),
            "`response_time` is a time, and `20 kbit/s` is not | units: ps, ns, µs, ms, s, min, h, day"
        );
        assert_eq!(refused("response_time/alarm-2.p99 < 300 ms"), None);
    }

    #[test]
    fn a_condition_on_latency_is_pointed_to_the_response_time_and_a_quantile_to_those_there_are() {
        assert_eq!(
            refused("latency.p99 < 300 ms").unwrap(),
            "there is no metric `latency` | did you mean `response_time`?"
        );
        assert_eq!(refused("response_time.p95 < 300 ms"), None);
        assert!(refused("response_time.p955 < 300 ms").unwrap().ends_with("did you mean `p95`?"));
    }

    #[test]
    fn a_share_is_a_percentage_or_a_bare_number_up_to_one() {
        for right in
            ["utilisation < 50 %", "utilisation < 0.5", "loss <= 100 %", "loss = 0", "delay_budget/wire.share < 5 %"]
        {
            assert_eq!(refused(right), None, "{right}");
        }
        assert_eq!(
            refused("utilisation < 50").unwrap(),
            "`utilisation` is a share of at most 1, and `50` is more | write \"50 %\", or a number from 0 to 1"
        );
        // a loss of less than all says nothing
        assert_eq!(
            refused("loss < 1").unwrap(),
            "`loss` is a share, and `1` is all of it | write \"1 %\", or \"100 %\" for all of it"
        );
        assert!(refused("loss < 120 %").unwrap().contains("share of at most 1"));
        assert!(refused("utilisation < 5 ms").unwrap().starts_with("`utilisation` is a share, and `5 ms` is not"));
    }

    #[test]
    fn a_count_is_a_bare_number_and_a_rate_has_the_unit_it_is_shown_in() {
        assert_eq!(refused("failures = 0"), None);
        assert!(
            refused("failures < 3 %").unwrap().starts_with("`failures` is a number without unit, and `3 %` is not")
        );
        assert_eq!(refused("response_time.count > 100"), None);
        for right in [
            "throughput_l3 > 200 packets/s",
            "throughput_l3 > 200 /s",
            "queue_length.max < 100 cells",
            "throughput > 1 Mbit/s",
        ] {
            assert_eq!(refused(right), None, "{right}");
        }
        assert!(refused("throughput_l3 > 200").unwrap().contains("has no unit"));
    }
}
