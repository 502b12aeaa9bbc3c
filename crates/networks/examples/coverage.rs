//! How often 95 % intervals hold the true value: 1000 experiments of ten replications each, on queues whose
//! answers are known. Exits with 1 unless between 93 % and 97 % of the intervals of every mean do.
//!
//! `cargo run --release -p sojourn-networks --example coverage`, two minutes or so; part of `make nightly`.

use std::process::ExitCode;

use sojourn_core::Duration;
use sojourn_metrics::merge::merge_metric;
use sojourn_networks::{Model, Replication};
use sojourn_scenario::{Document, check};

const EXPERIMENTS: u64 = 1000;
const REPLICATIONS: u32 = 10;
/// 80 % load: a customer every 10 ms, 8 ms of service.
const LOAD: f64 = 0.8;
const SERVICE_S: f64 = 0.008;
/// Shares of intervals that are close enough to 95 % in 1000 experiments (three standard deviations).
const ACCEPTED: std::ops::RangeInclusive<f64> = 0.93..=0.97;

struct Question {
    name: &'static str,
    service: &'static str,
    field: &'static str,
    truth: f64,
    /// Whether a share outside the accepted range fails the run.
    binding: bool,
}

fn main() -> ExitCode {
    let mean = SERVICE_S / (1.0 - LOAD);
    let waiting = LOAD / (2.0 * (1.0 - LOAD)) * SERVICE_S;
    let questions = [
        Question { name: "M/M/1 mean", service: "exponential", field: "mean", truth: mean, binding: true },
        Question {
            name: "M/D/1 mean",
            service: "deterministic",
            field: "mean",
            truth: SERVICE_S + waiting,
            binding: true,
        },
        Question {
            name: "M/M/1 p50",
            service: "exponential",
            field: "p50",
            truth: mean * libm::log(2.0),
            binding: true,
        },
        Question {
            name: "M/M/1 p99",
            service: "exponential",
            field: "p99",
            truth: mean * libm::log(100.0),
            binding: false,
        },
    ];
    let mut all_accepted = true;
    for question in questions {
        let share = coverage(&question);
        let accepted = ACCEPTED.contains(&share);
        let verdict = if accepted {
            "as it should be"
        } else if question.binding {
            "NOT 93 to 97 %"
        } else {
            "for information"
        };
        println!("{}: {:.1} % of {EXPERIMENTS} intervals hold the true value: {verdict}", question.name, 100.0 * share);
        all_accepted &= accepted || !question.binding;
    }
    ExitCode::from(u8::from(!all_accepted))
}

/// The share of experiments whose interval holds the true value.
fn coverage(question: &Question) -> f64 {
    let model = model(question.service);
    let held = (1..=EXPERIMENTS).filter(|&seed| {
        let records: Vec<_> = (0..REPLICATIONS).map(|index| model.replicate(replication(seed, index))).collect();
        let metric = merge_metric("response_time", &records).expect("the probe's response time");
        let (low, high) = metric.interval(question.field).expect("an interval of ten replications");
        low <= question.truth && high.is_none_or(|high| question.truth <= high)
    });
    held.count() as f64 / EXPERIMENTS as f64
}

fn replication(seed: u64, index: u32) -> Replication<'static> {
    Replication { seed, index, warm_up: Duration::from_secs(10), ..Replication::alone(Duration::from_secs(100)) }
}

fn model(service: &str) -> Box<dyn Model> {
    let text = format!(
        r#"
        [network]
        kind = "queue"
        [[station]]
        name = "server"
        service = {{ kind = "{service}", mean = "8 ms" }}
        [[flow]]
        name = "customers"
        path = ["server"]
        arrivals = {{ kind = "poisson", rate = "100 /s" }}
        probe = true
        "#
    );
    let scenario = Document::parse("coverage", &text).and_then(|document| check(&document));
    let model = scenario.and_then(|scenario| sojourn_networks::find("queue").expect("a network").model(&scenario));
    model.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)))
}
