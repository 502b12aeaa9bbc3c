//! Benchmarks of whole replications: scenario text, check, network, replication, record.

use sojourn_core::Duration;
use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::{Observation, Record};
use sojourn_model::{Model, Replication};
use sojourn_scenario::{Problems, check};

use crate::clock::timed;
use crate::heap;

/// Customers a second through one server at 80 % load.
const CUSTOMERS_PER_SECOND: f64 = 100.0;

const M_M_1: &str = r#"
[network]
kind = "queue"
[[station]]
name = "server"
service = { kind = "exponential", mean = "8 ms" }
[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", rate = "100 /s" }
probe = true
"#;

/// Customers per processor second of M/M/1 at 0.8, and their mean response time in mean service times.
pub fn customers(customers: u64) -> (f64, f64) {
    let duration = Duration::from_seconds(customers as f64 / CUSTOMERS_PER_SECOND).expect("a span of the clock");
    let (seconds, record) = run("M/M/1", M_M_1, duration);
    let response_time = merge_metric("response_time", &[record]).expect("the probe's response time");
    let count = response_time.field("count").expect("a distribution");
    (count / seconds, response_time.field("mean").unwrap_or(f64::NAN) / 0.008)
}

/// What a LonTalk scenario costs.
pub struct Cost {
    /// Correct packets carried.
    pub packets: f64,
    /// Packets per processor second, the world's own set-up included.
    pub rate: f64,
    /// Processor seconds from the text to the model.
    pub set_up: f64,
    /// Most bytes on the heap at any time, of the model and its world.
    pub bytes: isize,
}

/// Runs a scenario's text with some keys set for `seconds` of its time.
pub fn packets(text: &str, keys: &[(&str, &str)], seconds: u64) -> Cost {
    let before = heap::live();
    let (set_up, model) = timed(|| model_with("LonTalk", text, keys));
    let (peak, (processor, record)) = heap::peak_during(|| replicate(&*model, Duration::from_secs(seconds)));
    let Some(Observation::Count(packets)) = record.metrics.get("packets") else { panic!("packets are counted") };
    let packets = *packets as f64;
    Cost { packets, rate: packets / processor, set_up, bytes: peak - before }
}

/// Processor seconds of one replication of a scenario's text, and its record.
pub fn run(name: &str, text: &str, duration: Duration) -> (f64, Record) {
    replicate(&*model(name, text), duration)
}

/// Processor seconds of one replication, and its record.
fn replicate(model: &dyn Model, duration: Duration) -> (f64, Record) {
    timed(|| model.replicate(Replication::alone(duration)))
}

fn model(name: &str, text: &str) -> Box<dyn Model> {
    model_with(name, text, &[])
}

/// The model of a scenario's text.
fn model_with(name: &str, text: &str, keys: &[(&str, &str)]) -> Box<dyn Model> {
    let built = || {
        let mut document = sojourn_catalogue::NETWORKS.kinds().parse(name, text)?;
        for (key, value) in keys {
            document.set(key, value, &format!("{key}={value}"))?;
        }
        let scenario = check(&document)?;
        sojourn_catalogue::NETWORKS.find(scenario.kind).expect("a network of every kind").model(&scenario)
    };
    built().unwrap_or_else(|problems: Problems| panic!("{}", problems.render(false, 100)))
}
