//! Lists networks, transports and metrics for the front end and the documentation.

use serde_json::{Value, json};
use sojourn_catalogue::NETWORKS;
use sojourn_metrics::registry;

use crate::study::options::{Kind, Opt};
use crate::study::{answer_kinds, figure_kinds};

/// Every network that can be simulated.
pub fn networks() -> Value {
    let describe = |network: &'static dyn sojourn_model::Network| {
        let information = network.information();
        json!({
            "kind": network.kind(),
            "summary": information.summary,
            "models": information.models,
            "leaves_out": information.leaves_out,
            "sources": information.sources,
            "probe_metric": information.probe_metric,
            "ends_with_its_probes": information.ends_with_its_probes,
        })
    };
    NETWORKS.networks().map(describe).collect()
}

/// Every transport of live measurements; none where the platform has none.
pub fn transports() -> Value {
    crate::live::transports()
}

/// Every metric, with its unit, shape, definition and measuring points.
pub fn metrics() -> Value {
    serde_json::to_value(registry::all()).expect("the registry is plain data")
}

/// Every kind of figure, with its options and those that all kinds have.
pub fn figure_kinds() -> Value {
    json!({ "kinds": kinds(figure_kinds::KINDS), "common": options(figure_kinds::COMMON) })
}

/// Every kind of answer, with its options and those that all kinds have.
pub fn answer_kinds() -> Value {
    json!({ "kinds": kinds(answer_kinds::KINDS), "common": options(answer_kinds::COMMON) })
}

fn kinds(kinds: &[Kind]) -> Value {
    let describe = |kind: &Kind| json!({ "name": kind.name, "help": kind.help, "options": options(kind.options) });
    kinds.iter().map(describe).collect()
}

fn options(declared: &[Opt]) -> Value {
    let describe = |option: &Opt| {
        json!({
            "name": option.name,
            "value": option.value.accepted(),
            "required": option.required,
            "help": option.help,
        })
    };
    declared.iter().map(describe).collect()
}
