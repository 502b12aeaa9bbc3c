//! Groups points that differ only in what their events do: the part before the first difference is simulated once.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_model::Together;
use sojourn_scenario::Scenario;

use crate::points::{Point, fingerprint};
use crate::rounds::Beginning;

/// The same points; those that begin alike know it.
pub fn shared(mut points: Vec<Point>) -> Vec<Point> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, point) in points.iter().enumerate() {
        let spec = &point.spec;
        if let Some(warm_up) = spec.warm_up.filter(|_| !point.scenario.events().is_empty()) {
            let begins = format!("{} {} {warm_up} {}", without_events(&point.scenario), spec.seed, spec.duration);
            groups.entry(begins).or_default().push(position);
        }
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let scenarios: Vec<&Scenario> = group.iter().map(|&position| &points[position].scenario).collect();
        let Some(model) = points[group[0]].network.together(&scenarios) else { continue };
        let model: Arc<dyn Together> = Arc::from(model);
        for (number, position) in group.into_iter().enumerate() {
            points[position].spec.beginning = Some(Beginning { model: Arc::clone(&model), number });
        }
    }
    points
}

/// Fingerprint of a scenario but for its events and the number of its replications.
fn without_events(scenario: &Scenario) -> String {
    let mut canonical: serde_json::Value =
        serde_json::from_str(&scenario.canonical_json()).expect("a canonical scenario is JSON");
    if let Some(tables) = canonical.as_object_mut() {
        tables.remove("event");
        if let Some(run) = tables.get_mut("run").and_then(serde_json::Value::as_object_mut) {
            run.remove("replications");
        }
    }
    fingerprint(&canonical.to_string())
}
