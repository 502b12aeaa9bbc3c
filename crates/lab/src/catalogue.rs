//! What there is: networks, transports and metrics, as the front and the documentation list them.

use serde_json::{Value, json};
use sojourn_metrics::registry;

/// Every network that can be simulated.
pub fn networks() -> Value {
    let describe = |network: &&'static dyn sojourn_networks::Network| {
        let information = network.information();
        json!({
            "kind": information.kind,
            "summary": information.summary,
            "models": information.models,
            "leaves_out": information.leaves_out,
            "sources": information.sources,
            "probe_metric": information.probe_metric,
            "ends_with_its_probes": information.ends_with_its_probes,
        })
    };
    sojourn_networks::registry().iter().map(describe).collect()
}

/// Every way to reach a real network.
pub fn transports() -> Value {
    let describe = |transport: &&'static dyn sojourn_live::Transport| {
        let information = transport.information();
        json!({
            "scheme": information.scheme,
            "form": information.form,
            "summary": information.summary,
            "needs": information.needs,
            "sources": information.sources,
        })
    };
    sojourn_live::registry().iter().map(describe).collect()
}

/// Every metric, with its unit, shape, definition and measuring points.
pub fn metrics() -> Value {
    serde_json::to_value(registry::all()).expect("the registry is plain data")
}
