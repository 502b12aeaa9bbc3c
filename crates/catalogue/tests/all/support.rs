//! From the text of a scenario to what one replication of it observes.

use sojourn_metrics::record::Record;
pub use sojourn_model::testing::event;
use sojourn_scenario::{Problems, Scenario};

pub fn scenario(text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
    sojourn_catalogue::NETWORKS.scenario(text, edits)
}

pub fn record(text: &str, edits: &[(&str, &str)]) -> Record {
    sojourn_catalogue::NETWORKS.record(text, edits)
}
