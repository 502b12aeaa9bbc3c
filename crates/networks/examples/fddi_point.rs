//! Runs one replication of an FDDI scenario with a few `KEY=VALUE` edits and prints its metrics and its speed:
//! `cargo run --example fddi_point -- FILE voice.samples=8`.

use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_networks::Replication;
use sojourn_scenario::{Document, WarmUp, check, template};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "template".to_owned());
    let text = match file.as_str() {
        "template" => template("fddi").expect("the template is there"),
        _ => std::fs::read_to_string(&file).expect("a file that can be read"),
    };
    let mut document =
        Document::parse(&file, &text).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    for edit in arguments {
        let (key, value) = edit.split_once('=').expect("KEY=VALUE");
        document.set(key, value, &edit).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    }
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let network = sojourn_networks::find(scenario.kind).expect("a registered network");
    let model = network.model(&scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let warm_up = match scenario.run().warm_up {
        WarmUp::Fixed(span) => span,
        WarmUp::Auto => Duration::from_millis(100),
    };
    let record = model.replicate(Replication {
        seed: scenario.run().seed,
        warm_up,
        ..Replication::alone(scenario.run().duration)
    });
    for (name, metric) in merge(&[record]) {
        let field = |name: &str| metric.field(name).map(|value| format!("{name} {value:.6} ")).unwrap_or_default();
        println!("{name:40} {}{}{}{}{}", field("value"), field("mean"), field("p50"), field("p999"), field("count"));
    }
}
