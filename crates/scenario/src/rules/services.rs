//! Keys of a flow over IP that only some services obey are refused in a flow of another one.

use crate::{Problem, Scenario};

const REQUESTS: &[&str] = &["echo", "request"];
const OVER_TCP: &[&str] = &["bulk", "request"];

/// Keys, and the services that obey them.
const OBEYED: [(&str, &[&str]); 10] = [
    ("size", &["echo", "request", "stream"]),
    ("think", REQUESTS),
    ("think_spread", REQUESTS),
    ("timeout", &["echo"]),
    ("response_size", REQUESTS),
    ("server_time", REQUESTS),
    ("server_time_spread", REQUESTS),
    ("arrivals", &["stream"]),
    ("write", OVER_TCP),
    ("connection", OVER_TCP),
];

/// Adds a problem for each key that is written, other than it is by default, and that the flow's service ignores.
pub fn ignored(scenario: &Scenario, found: &mut Vec<Problem>) {
    for flow in scenario.list("flow") {
        let Some(service) = flow.optional_word("service") else { continue };
        for key in flow.changed().map(|entry| entry.key.name) {
            let services = OBEYED.iter().find(|(name, _)| *name == key).map(|(_, services)| *services);
            if let Some(services) = services.filter(|services| !services.contains(&service)) {
                let words: Vec<String> = services.iter().map(|word| format!("\"{word}\"")).collect();
                let message = format!("`{key}` is of service {}, and this flow is \"{service}\"", words.join(" or "));
                let help = "nothing would obey it: leave it out, or change `service`".to_owned();
                found.push(scenario.problem(flow, key, message, Some(help)));
            }
        }
    }
}
