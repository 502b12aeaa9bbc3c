//! What must hold between the keys of links that carry packets, and of the queues before them.

use super::counts::whole;
use crate::{Problem, Scenario};

/// Adds what does not hold of media.
pub fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        whole(scenario, medium, &["mtu", "framing_overhead", "least_packet", "counted_header"], found);
        let queue = medium.table("queue");
        whole(scenario, queue, &["limit_octets", "quantum", "queues", "assured_burst", "ceiling_burst"], found);
        if let Some(shaping) = queue.optional_table("shaping") {
            whole(scenario, shaping, &["burst"], found);
        }
        if queue.has("limit_octets") && queue.number("limit_octets") < medium.number("mtu") {
            let message = "`limit_octets` is less than the longest packet, which would never find room".to_owned();
            let help = format!("the medium's mtu is {} B", medium.number("mtu"));
            found.push(scenario.problem(queue, "limit_octets", message, Some(help)));
        }
    }
}
