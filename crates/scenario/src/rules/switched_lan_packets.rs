//! Consistency checks of packet links and their queues.

use super::counts::whole;
use crate::{Problem, Scenario};

/// Adds the inconsistencies of media.
pub fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        whole(scenario, medium, &["mtu", "framing_overhead", "min_payload", "link_overhead"], found);
        let queue = medium.table("queue");
        whole(scenario, queue, &["limit_bytes", "quantum", "queues", "burst", "cburst"], found);
        if let Some(shaping) = queue.optional_table("shaping") {
            whole(scenario, shaping, &["burst"], found);
        }
        if queue.has("limit_bytes") && queue.number("limit_bytes") < medium.number("mtu") {
            let message = "`limit_bytes` is smaller than the largest packet".to_owned();
            let help = format!("at least the medium's mtu, {} B", medium.number("mtu"));
            found.push(scenario.problem(queue, "limit_bytes", message, Some(help)));
        }
    }
}
