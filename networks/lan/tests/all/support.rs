#![allow(dead_code, reason = "not every test needs all")]
//! From the text of a scenario to what one replication of it observes.

use sojourn_metrics::record::Record;
pub use sojourn_model::testing::*;
use sojourn_model::{Model, Network};
use sojourn_scenario::{Problems, Scenario};

static BENCH: Bench = Bench(&[&sojourn_lan::ip::IpNetwork, &sojourn_lan::switched::SwitchedLanNetwork]);

pub fn scenario(text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
    BENCH.scenario(text, edits)
}

pub fn network(scenario: &Scenario) -> &'static dyn Network {
    BENCH.network(scenario)
}

pub fn model(scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
    BENCH.model(scenario)
}

pub fn record(text: &str, edits: &[(&str, &str)]) -> Record {
    BENCH.record(text, edits)
}

pub fn replication(text: &str, edits: &[(&str, &str)], index: u32) -> Record {
    BENCH.replication(text, edits, index)
}

pub fn metrics(text: &str, edits: &[(&str, &str)]) -> Metrics {
    BENCH.metrics(text, edits)
}
