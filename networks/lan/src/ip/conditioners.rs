//! Converts the keys `shaping` and `marking` of flows to conditioners, one per flow and sender.

use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::settings::{ConditionerSettings, MeterSettings, Shaping};
use crate::flows::Flows;
use crate::packet::UDP_HEADERS;
use crate::site::{Activity, Service};

/// The conditioners of a scenario; none where no flow has any.
pub fn of(scenario: &Scenario, flows: &Flows<'_>) -> Result<Vec<ConditionerSettings>, Problems> {
    let mut conditioners: Vec<ConditionerSettings> = Vec::new();
    let mut problems = Problems::new();
    for table in scenario.list("flow").iter().filter(|table| table.has("shaping") || table.has("marking")) {
        let first = conditioners.len();
        let is_own = |activity: &&Activity| flows.names[activity.flow as usize] == table.name();
        for activity in flows.activities.iter().filter(is_own) {
            if let Err(problem) = conforms(scenario, table, flows, activity) {
                problems.push(problem);
                break;
            }
            let there = activity.connections().map(|connection| (activity.from, connection));
            let back = activity.receivers().zip(activity.connections().map(|connection| connection ^ 1));
            for (station, connection) in there.chain(back) {
                let name = format!("{}/{}", table.name(), flows.layout.name(station as usize));
                match conditioners[first..].iter_mut().find(|conditioner| conditioner.name == name) {
                    Some(known) => known.connections.push(connection),
                    None => conditioners.push(conditioner(table, name, connection)),
                }
            }
        }
    }
    problems.or(conditioners)
}

fn conditioner(table: &Table, name: String, connection: u32) -> ConditionerSettings {
    let shaper = table.optional_table("shaping").map(|shaper| (shaping(shaper), shaper.integer("limit") as u32));
    let meter = table.optional_table("marking").map(|marking| (meter(marking), marking.word("red") == "drop"));
    ConditionerSettings { name, connections: vec![connection], shaper, meter }
}

fn meter(table: &Table) -> MeterSettings {
    let committed = shaping(table);
    match table.word("kind") {
        "single-rate" => MeterSettings::SingleRate { committed, excess: table.number("excess_burst") as u64 },
        _ => MeterSettings::TwoRate {
            committed,
            peak: Shaping { rate: bits(table, "peak_rate"), burst: table.number("peak_burst") as u64 },
        },
    }
}

/// A token bucket.
pub fn shaping(table: &Table) -> Shaping {
    Shaping { rate: bits(table, "rate"), burst: table.number("burst") as u64 }
}

/// A rate, bit/s.
pub fn bits(table: &Table, key: &str) -> u64 {
    libm::round(table.number(key)) as u64
}

/// A packet longer than the shaper's bucket would never leave.
fn conforms(scenario: &Scenario, table: &Table, flows: &Flows<'_>, activity: &Activity) -> Result<(), Problem> {
    let Some(shaper) = table.optional_table("shaping") else { return Ok(()) };
    let mtu = flows.layout.path_mtu(activity.connection);
    let datagram = |octets: u32| (octets + UDP_HEADERS).min(mtu);
    let longest = match &activity.service {
        Service::Echo(echo) => echo.sizes.map(datagram).into_iter().max().unwrap_or(mtu),
        Service::Stream(stream) => datagram(stream.size),
        Service::Voice(call) => datagram(call.octets),
        Service::Request(_) | Service::Bulk(_) => mtu,
    };
    if shaper.number("burst") >= f64::from(longest) {
        return Ok(());
    }
    let message = format!("a packet of {longest} bytes never conforms to a bucket of {} bytes", shaper.number("burst"));
    Err(scenario.problem(
        shaper,
        "burst",
        message,
        Some(format!("at least {longest} B, the longest packet of the flow")),
    ))
}
