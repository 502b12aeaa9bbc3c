//! Checks that conditions name metrics and fields that exist.

use sojourn_metrics::registry;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::{Problem, Problems, Scenario};

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

/// The fields a metric of a shape has.
fn fields_of(shape: registry::Shape) -> &'static [&'static str] {
    match shape {
        registry::Shape::Distribution => {
            &["count", "sent", "min", "min_mean", "mean", "max", "max_mean", "p50", "p90", "p99", "p999", "sd"]
        }
        registry::Shape::Scalar => &["value"],
        registry::Shape::TimeWeighted => &["mean", "max"],
        registry::Shape::Budget => &["mean", "share", "slowest_mean", "slowest_share"],
    }
}

/// Refuses `[expect]` entries that name an unknown metric or field.
pub fn refuse_unknown_expectations(scenario: &Scenario) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for expectation in scenario.expectations() {
        if let Err(found) = refuse_unknown_metric(&expectation.text, &expectation.metric, &expectation.field) {
            let placed = |problem: Problem| Problem { place: expectation.place.clone().or(problem.place), ..problem };
            problems.0.extend(found.0.into_iter().map(placed));
        }
    }
    problems.or(())
}
