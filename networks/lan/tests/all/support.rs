//! From the text of a scenario to what one replication of it observes.

#![allow(dead_code, reason = "not every network asks for all of it")]

use sojourn_lan::NETWORKS;
use sojourn_metrics::record::Record;
use sojourn_model::Model;
pub use sojourn_model::testing::*;
use sojourn_scenario::{Problems, Scenario};

pub fn scenario(text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
    NETWORKS.scenario(text, edits)
}

pub fn model(scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
    NETWORKS.model(scenario)
}

pub fn record(text: &str, edits: &[(&str, &str)]) -> Record {
    NETWORKS.record(text, edits)
}

pub fn replication(text: &str, edits: &[(&str, &str)], index: u32) -> Record {
    NETWORKS.replication(text, edits, index)
}

pub fn metrics(text: &str, edits: &[(&str, &str)]) -> Metrics {
    NETWORKS.metrics(text, edits)
}
