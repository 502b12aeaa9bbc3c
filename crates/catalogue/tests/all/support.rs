//! From the text of a scenario to what one replication of it observes.

use sojourn_metrics::record::Record;
use sojourn_model::testing::Bench;
pub use sojourn_model::testing::event;
use sojourn_scenario::{Problems, Scenario};

static BENCH: Bench = Bench(sojourn_catalogue::NETWORKS);

pub fn scenario(text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
    BENCH.scenario(text, edits)
}

pub fn record(text: &str, edits: &[(&str, &str)]) -> Record {
    BENCH.record(text, edits)
}
