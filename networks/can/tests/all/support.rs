//! Scenarios without processors, and what they observe.

use sojourn_metrics::record::{Observation, Record, share};

sojourn_model::test_functions!(sojourn_can::NETWORKS);

/// Stations `a`, `b`, ... and `sink` on one bus of 500 kbit/s with worst-case stuffing, without CPU time, and these flows.
pub fn bus(stations: &[&str], flows: &str) -> String {
    let costs = "costs = { send = \"0 s\", receive = \"0 s\", forward = \"0 s\" }";
    let station = |name: &&str| format!("[[station]]\nname = \"{name}\"\n{costs}\n");
    let stations: String = stations.iter().chain(&["sink"]).map(station).collect();
    format!(
        "[network]\nkind = \"can\"\n[bus]\nbit_rate = \"500 kbit/s\"\nstuffing = \"worst\"\n{stations}{flows}[run]\nduration = \"10 s\"\nwarm_up = \"0 s\"\n"
    )
}

/// A periodic flow to the sink that begins after `delay`.
pub fn periodic(name: &str, from: &str, id: u32, period: &str, delay: &str, more: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"sink\"\nid = {id}\nprobe = true\n\
         arrivals = {{ kind = \"periodic\", interval = \"{period}\", start = \"at-once\", delay = \"{delay}\" }}\n{more}\n"
    )
}

/// A number that was observed, a count or a share.
pub fn number(record: &Record, name: &str) -> f64 {
    match record.metrics.get(name) {
        Some(Observation::Count(count)) => *count as f64,
        Some(Observation::Share { part, of }) => share(*part, *of),
        Some(Observation::Scalar(value)) => *value,
        other => panic!("{name} is a number, not {other:?}"),
    }
}
