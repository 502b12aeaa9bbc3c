//! The same numbers on every machine: a small sweep against a table made elsewhere.
//!
//! A change that is meant to move these numbers replaces `golden/queue.txt` by what the failed test prints.

use crate::common::{MM1, folder, results, run, sweep};
use serde_json::Value;

#[test]
fn a_small_sweep_gives_the_numbers_it_gave_elsewhere() {
    let folder = folder("golden");
    let sweep = sweep(&folder, MM1, &["flow.customers.arrivals.rate=200:800:200 /s", "station.desk.servers=1,2"]);
    let results = results(run(sweep).wait());
    let rows: Vec<String> = results["points"].as_array().unwrap().iter().map(row).collect();
    let found = format!("rate servers count min_ps p50_ps p99_ps max_ps hash\n{}\n", rows.join("\n"));
    assert_eq!(found, include_str!("golden/queue.txt"), "found\n{found}");
}

/// Whole numbers only: picoseconds, counts, and the first digits of the scenario's hash.
fn row(point: &Value) -> String {
    let time = &point["metrics"]["response_time"];
    let picoseconds = |field: &str| (time[field].as_f64().unwrap() * 1e12).round() as u64;
    format!(
        "{} {} {} {} {} {} {} {}",
        point["set"]["flow.customers.arrivals.rate"].as_f64().unwrap().round() as u64,
        point["set"]["station.desk.servers"],
        time["count"],
        picoseconds("min"),
        picoseconds("p50"),
        picoseconds("p99"),
        picoseconds("max"),
        &point["scenario_hash"].as_str().unwrap()[..12],
    )
}
