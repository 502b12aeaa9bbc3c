//! What the tests share.

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::{Document, Problems, Scenario, check};

/// A LonTalk scenario of one flow between two stations; tests put their mistake into it.
pub const FLOW: &str = r#"[network]
kind = "lontalk"
[[station]]
name = "sensor"
count = 4
[[station]]
name = "controller"
[[flow]]
name = "temperature"
from = "sensor"
to = "controller"
arrivals = { kind = "poisson", interval = "1 s" }
"#;

/// The scenario of the published study, shortened.
pub const SHORTHAND: &str = r#"[network]
kind = "lontalk"
[channel]
channel = "TP/XF-78"
priority_slots = 0
[station]
input_clock = "10 MHz"
[station.sender]
collision_detection = true
[probe]
retries = 4
[background]
stations = 32
rate = "300 /s"
addressing = "group"
"#;

pub fn document(text: &str) -> Document {
    NETWORKS.kinds().parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"))
}

pub fn scenario(text: &str) -> Scenario {
    check(&document(text)).unwrap_or_else(|problems| panic!("{problems}"))
}

/// What checking a text finds.
pub fn problems(text: &str) -> Problems {
    match NETWORKS.kinds().parse("test.toml", text).and_then(|document| check(&document)) {
        Ok(_) => panic!("no mistake was found in\n{text}"),
        Err(problems) => problems,
    }
}

/// Messages and help, one a line.
pub fn reported(problems: &Problems) -> Vec<String> {
    let line = |problem: &sojourn_scenario::Problem| match &problem.help {
        Some(help) => format!("{} | {help}", problem.message),
        None => problem.message.clone(),
    };
    problems.0.iter().map(line).collect()
}

/// `text` with one line put in place of another.
pub fn replaced(text: &str, line: &str, by: &str) -> String {
    assert!(text.contains(line), "{line}");
    text.replacen(line, by, 1)
}
