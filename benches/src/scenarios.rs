//! Questions asked through the whole path: scenario text, check, network, replication, record.

use std::sync::atomic::AtomicBool;

use sojourn_core::Duration;
use sojourn_metrics::Record;
use sojourn_metrics::merge::merge_metric;
use sojourn_networks::{Model, Replication};
use sojourn_scenario::{Document, check};

use crate::clock::timed;

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
    let (seconds, record) = replicate(&*model("M/M/1", M_M_1), duration);
    let response_time = merge_metric("response_time", &[record]).expect("the probe's response time");
    let count = response_time.field("count").expect("a distribution");
    (count / seconds, response_time.field("mean").unwrap_or(f64::NAN) / 0.008)
}

/// Processor seconds of one replication, and its record.
fn replicate(model: &dyn Model, duration: Duration) -> (f64, Record) {
    timed(|| {
        model.replicate(Replication {
            seed: 1,
            index: 0,
            warm_up: Duration::ZERO,
            duration,
            traces: false,
            capture: None,
            cancelled: &AtomicBool::new(false),
        })
    })
}

/// The model of a scenario's text; a mistake in it is ours.
fn model(name: &str, text: &str) -> Box<dyn Model> {
    let scenario = Document::parse(name, text).and_then(|document| check(&document));
    let model = scenario.and_then(|scenario| {
        let network = sojourn_networks::find(scenario.kind).expect("a network of every kind");
        network.model(&scenario)
    });
    model.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)))
}
