//! Consistency checks of packet links and their queues.

use sojourn_core::Duration;

use crate::ip::Carrier;
use crate::ip::keys::QUEUE_BACK;
use crate::switched::keys::queue::Preset;

use sojourn_scenario::rules::counts::whole;
use sojourn_scenario::{Origin, Problem, Resolved, Scenario, Table};

/// Adds the inconsistencies of media.
pub fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        whole(scenario, medium, &["mtu", "framing_overhead", "min_payload", "link_overhead"], found);
        let back = medium.has(QUEUE_BACK).then(|| medium.table(QUEUE_BACK));
        for queue in [Some(medium.table("queue")), back].into_iter().flatten() {
            limits(scenario, medium, queue, found);
        }
    }
}

/// Adds the inconsistencies of one queue of a medium.
fn limits(scenario: &Scenario, medium: &Table, queue: &Table, found: &mut Vec<Problem>) {
    let octets = ["limit_bytes", "quantum", "queues", "burst", "cburst", "min", "max", "avpkt", "overhead", "mpu"];
    whole(scenario, queue, &octets, found);
    if let Some(shaping) = queue.optional_table("shaping") {
        whole(scenario, shaping, &["burst"], found);
    }
    if let Some(wred) = queue.optional_table("wred") {
        thresholds(scenario, wred, found);
    }
    marks(scenario, queue, found);
    if queue.has("limit_bytes") && queue.number("limit_bytes") < medium.number("mtu") {
        let message = "`limit_bytes` is smaller than the largest packet".to_owned();
        let help = format!("at least the medium's mtu, {} B", medium.number("mtu"));
        found.push(scenario.problem(queue, "limit_bytes", message, Some(help)));
    }
}

/// Adds the inconsistencies of what a queue drops or marks.
fn marks(scenario: &Scenario, queue: &Table, found: &mut Vec<Problem>) {
    if queue.has("ce_threshold_selector") && !queue.has("ce_threshold") {
        let message = "`ce_threshold_selector` selects packets for a `ce_threshold` that is not there".to_owned();
        let help = "ce_threshold = \"1 ms\", or leave the selector out".to_owned();
        found.push(scenario.problem(queue, "ce_threshold_selector", message, Some(help)));
    }
    match queue.word("kind") {
        "red" => red(scenario, queue, found),
        "cake" => framing(scenario, queue, found),
        "dualpi2" => {
            let percent = 100.0 * queue.number("classic_protection");
            if (percent - libm::round(percent)).abs() > 1e-9 {
                let message = format!("`classic_protection` is not a whole percentage: {percent} %");
                found.push(scenario.problem(queue, "classic_protection", message, None));
            }
        }
        _ => {}
    }
}

/// A kind of link says what carries packets; another one beside it is a contradiction.
fn framing(scenario: &Scenario, queue: &Table, found: &mut Vec<Problem>) {
    let Some((kind, framing)) = queue.optional_word("overhead").zip(queue.optional_word("framing")) else { return };
    let carrier = Preset::of(Some(kind)).map(|preset| preset.carrier);
    let own = match carrier {
        Some(Carrier::Atm) => "atm",
        Some(Carrier::Ptm) => "ptm",
        _ => "noatm",
    };
    // as the queue counts packets says nothing of what carries them
    if kind != "raw" && own != framing {
        let message = format!("`overhead` is that of {kind}, which is {own}, and `framing` says {framing}");
        let help = "give `overhead` in bytes, or leave `framing` out".to_owned();
        found.push(scenario.problem(queue, "framing", message, Some(help)));
    }
}

/// RED's thresholds are in order, and its burst is one that reaches the lower one.
fn red(scenario: &Scenario, queue: &Table, found: &mut Vec<Problem>) {
    let [min, max, packet] = ["min", "max", "avpkt"].map(|key| queue.number(key));
    if min >= max {
        let message = format!("`min` is not below `max`: {min} against {max} bytes");
        found.push(scenario.problem(queue, "min", message, Some("tc-red(8): max is at least twice min".to_owned())));
    }
    if packet > min {
        let message = format!("the mean packet is longer than `min`: {packet} against {min} bytes");
        found.push(scenario.problem(queue, "avpkt", message, None));
    }
    if queue.has("limit_bytes") && queue.number("limit_bytes") < max {
        let message = format!("`limit_bytes` is below `max`, {max} bytes: the queue is full before it drops all");
        found.push(scenario.problem(queue, "limit_bytes", message, None));
    }
    if let Some(burst) = queue.optional_integer("burst").filter(|burst| (*burst as f64) < min / packet) {
        let message = format!("a burst of {burst} packets does not reach `min`, {min} bytes");
        let help = format!("at least min / avpkt, {}", libm::ceil(min / packet));
        found.push(scenario.problem(queue, "burst", message, Some(help)));
    }
}

/// A drop precedence begins below its end, and the higher it is the earlier (RFC 2597, section 2).
fn thresholds(scenario: &Scenario, wred: &Table, found: &mut Vec<Problem>) {
    whole(scenario, wred, &["mean_packet"], found);
    let of = |color: &str| ["min", "max"].map(|end| wred.integer(&format!("{color}_{end}")));
    for color in ["green", "yellow", "red"] {
        let [min, max] = of(color);
        if min > max {
            let message = format!("`{color}_min` is above `{color}_max`: {min} against {max} packets");
            found.push(scenario.problem(wred, &format!("{color}_min"), message, None));
        }
    }
    for (lower, higher) in [("green", "yellow"), ("yellow", "red")] {
        for (end, (one, other)) in ["min", "max"].into_iter().zip(of(lower).into_iter().zip(of(higher))) {
            if other > one {
                let message =
                    format!("{higher} packets would be dropped later than {lower} ones: {other} against {one} packets");
                let help = format!("at most {lower}_{end}, {one}");
                found.push(scenario.problem(wred, &format!("{higher}_{end}"), message, Some(help)));
            }
        }
    }
}

/// Adds the inconsistencies of what conditions the traffic of flows.
pub fn conditioned(scenario: &Scenario, found: &mut Vec<Problem>) {
    for flow in scenario.list("flow") {
        if let Some(shaping) = flow.optional_table("shaping") {
            whole(scenario, shaping, &["burst"], found);
        }
        let Some(marking) = flow.optional_table("marking") else { continue };
        whole(scenario, marking, &["burst", "excess_burst", "peak_burst"], found);
        marked(scenario, flow, marking, found);
        if marking.word("kind") == "two-rate" && marking.number("peak_rate") < marking.number("rate") {
            let message = "the peak rate is below the committed rate".to_owned();
            found.push(scenario.problem(marking, "peak_rate", message, Some("at least `rate` (RFC 2698)".to_owned())));
        }
        if marking.word("kind") == "single-rate" && marking.number("burst") + marking.number("excess_burst") == 0.0 {
            let message = "neither bucket holds a token: all packets would be red".to_owned();
            found.push(scenario.problem(marking, "burst", message, Some("give `burst` or `excess_burst`".to_owned())));
        }
    }
}

/// Drop precedences are those of an assured forwarding class; policing alone marks nothing.
fn marked(scenario: &Scenario, flow: &Table, marking: &Table, found: &mut Vec<Problem>) {
    let polices = marking.word("red") == "drop" && marking.optional_number("excess_burst") == Some(0.0);
    let dscp = flow.optional_integer("dscp").unwrap_or_default();
    if polices || [10, 18, 26, 34].contains(&dscp) {
        return;
    }
    let message = format!("`marking` sets the drop precedence of assured forwarding, and code point {dscp} has none");
    let help = "dscp = 10, 18, 26 or 34 (AF11, AF21, AF31, AF41); or police: red = \"drop\" and excess_burst = \"0 B\"";
    found.push(scenario.problem(
        flow,
        if flow.has("dscp") { "dscp" } else { "marking" },
        message,
        Some(help.to_owned()),
    ));
}

/// Streams whose senders start at the same time have no spread unless it is written.
pub fn at_once(scenario: &mut Scenario) {
    for flow in scenario.list_mut("flow") {
        let together = flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.word_is("start", "at-once"));
        let spread = flow.get("start_spread").filter(|entry| together && entry.origin == Origin::Default);
        if let Some(key) = spread.map(|entry| entry.key) {
            flow.complete(key, Resolved::Duration(Duration::ZERO), "\"0 s\"".to_owned());
        }
    }
}
