//! What the adapter must hold: published facts, closed forms, invariants.

mod events;
mod invariants;
mod latency;
mod parts;
mod published;
mod workloads;

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::Metric;
use sojourn_scenario::{Problems, Scenario, check};

use super::scenario::settings;
use sojourn_model::{Model, Replication};

type Metrics = BTreeMap<String, Metric>;

/// An adapter with its defaults, which are those of the profile, and `edits`.
fn scenario(edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
    let text = "[network]\nkind = \"fddi-adapter\"\n[run]\nduration = \"40 ms\"\nwarm_up = \"5 ms\"\n";
    let mut document = crate::NETWORKS.kinds().parse("test.toml", text)?;
    for (key, value) in edits {
        document.set(key, value, &format!("{key}={value}"))?;
    }
    check(&document)
}

/// One replication.
fn record(edits: &[(&str, &str)], index: u32) -> Record {
    let scenario = scenario(edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    settings(&scenario).replicate(Replication {
        index,
        warm_up: Duration::from_millis(5),
        ..Replication::alone(scenario.run().duration)
    })
}

/// The metrics of one replication.
fn run(edits: &[(&str, &str)]) -> Metrics {
    merge(&[record(edits, 0)])
}

/// A number that must be there.
#[track_caller]
fn value(metrics: &Metrics, name: &str, field: &str) -> f64 {
    metrics.get(name).and_then(|metric| metric.field(field)).unwrap_or_else(|| panic!("{name}.{field} is there"))
}

/// Throughput in Mbit/s.
#[track_caller]
fn throughput(edits: &[(&str, &str)]) -> f64 {
    value(&run(edits), "throughput", "value") / 1e6
}
