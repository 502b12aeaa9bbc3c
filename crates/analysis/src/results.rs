//! The results of a capture, in the form of a simulation's.

use std::collections::BTreeMap;

use sojourn_capture::{Findings, Network};
use sojourn_experiment::Build;
use sojourn_experiment::points::fingerprint;
use sojourn_metrics::merge::merge;
use sojourn_metrics::one_run;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::{Metric, Point, Results, SCHEMA};

use super::{slowest, summary};

/// Why there are no results: no packets, or none of the network.
pub fn nothing_found(found: &Findings, wanted: Option<Network>) -> Option<String> {
    if found.packets == 0 {
        let reasons: Vec<String> =
            found.faults.iter().map(|fault| format!("{}: {}", fault.file, fault.reason)).collect();
        let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        return Some(format!("the capture holds no packets{why}"));
    }
    let of_network = found.packets - found.unread.values().sum::<u64>();
    if of_network > 0 {
        return None;
    }
    let types: Vec<String> = found.unread.keys().map(ToString::to_string).collect();
    let named = wanted.map_or("a network that is analysed", Network::kind);
    let known = Network::ALL.map(Network::kind).join(", ");
    Some(format!(
        "no packet is of {named}: all {} are of link type {} (analysed are {known})",
        found.packets,
        types.join(", ")
    ))
}

/// The results of what was found, whose metrics are those of `record`; `study` names the capture.
pub fn results(found: &Findings, record: &Record, study: String, build: &Build) -> Results {
    let mut metrics = merge(std::slice::from_ref(record));
    one_run::add_intervals(&mut metrics, record);
    metrics.values_mut().for_each(Metric::forget_replications);
    let hash = fingerprint(&format!("{study} {} {}", found.packets, found.end.picoseconds()));
    let point = Point {
        experiment: "capture".to_owned(),
        set: BTreeMap::new(),
        status: "ok".to_owned(),
        replications: 1,
        decided_by: None,
        duration: found.seconds(),
        warm_up: 0.0,
        scenario_hash: Some(hash.clone()),
        metrics,
        stability: Vec::new(),
        events: Vec::new(),
        outages: Vec::new(),
    };
    Results {
        schema: SCHEMA,
        sojourn: build.version.clone(),
        commit: build.commit.clone(),
        study,
        network: found.network.map_or("unknown", Network::kind).to_owned(),
        world: "captured".to_owned(),
        seed: 0,
        scenario_hash: fingerprint(&hash),
        method: "batches of one capture, Student t".to_owned(),
        axes: BTreeMap::new(),
        limit: None,
        bounds: None,
        bound_assumptions: Vec::new(),
        bound_priorities: Vec::new(),
        risk: None,
        advice: None,
        tail: None,
        path: None,
        slowest: found.sink.slowest().map(|slowest| slowest::rows(found, slowest.slow())),
        roles: summary::roles(found),
        points: vec![point],
    }
}
