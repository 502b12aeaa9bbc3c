//! Conditions that a capture cannot decide: on response times of services whose requests overlap.

use serde::Serialize;
use sojourn_capture::Findings;
use sojourn_scenario::Expectation;

/// Times of requests, which are not known where requests overlap.
const TIMES: [&str; 2] = ["response_time", "answer_complete"];

/// A condition that cannot be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undecidable {
    /// The condition as it was asked.
    pub condition: String,
    /// Why.
    pub why: String,
}

/// Those of the conditions that `found` does not decide: of a service that is not separable or of a flow of it, and of all
/// services where one of them is not.
pub fn of(conditions: &[Expectation], found: &Findings) -> Vec<Undecidable> {
    let services = found.not_separable();
    let undecidable = |asked: &Expectation| {
        let (metric, member) = asked.metric.split_once('/').unwrap_or((&asked.metric, ""));
        if !TIMES.contains(&metric) {
            return None;
        }
        let service = services.iter().find(|service| {
            let name = service.member();
            member.is_empty() || member == name || member.strip_prefix(&name).is_some_and(|rest| rest.starts_with('/'))
        })?;
        let other =
            if member.is_empty() { format!("; name a service that is: {metric}/SERVICE") } else { String::new() };
        let why = format!("response times of {service} are not separable: requests overlap{other}");
        Some(Undecidable { condition: asked.text.clone(), why })
    };
    conditions.iter().filter_map(undecidable).collect()
}
