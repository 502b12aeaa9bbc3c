//! Rules of the trade that a site may break and still run: each is a warning with its source.

use std::collections::BTreeMap;

use sojourn_scenario::{Problem, Scenario};

use super::site::{Arrivals, ServiceKind, Site, Target};
use crate::Warning;

/// Devices on a free-topology segment without a repeater.
const DEVICES_PER_SEGMENT: usize = 64;
const SEGMENT: &str = "Series 6000 Chip Data Book (Echelon), p. 95: up to 64 devices on a TP/FT-10 segment";
/// Nodes of a subnet.
const NODES_PER_SUBNET: usize = 127;
const SUBNET: &str = "ISO/IEC 14908-1, 6: up to 127 nodes in a subnet";
const SLOT: &str = "ISO/IEC 14908-1, 5: a priority slot belongs to one device of a channel";
const WITHOUT_SLOT: &str = "ISO/IEC 14908-1, 5: priority is sending in the slot that belongs to the device";
const POLLING: &str =
    "LonTalk response-time bulletin (Echelon, 1992): a channel saturates at 80 % of its peak packet rate";
/// Bytes of an LPDU without the data of a network variable: headers, subnet and node addresses, selector, CRC.
const OVERHEAD_BYTES: f64 = 10.0;

/// The rules that a site breaks.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    for medium in 0..site.media.len() {
        devices(scenario, site, medium, &mut found);
        shared_slots(scenario, site, medium, &mut found);
    }
    priority_without_slot(scenario, site, &mut found);
    polling(scenario, site, &mut found);
    found
}

fn warning(problem: Problem, rule: &'static str) -> Warning {
    Warning { problem, rule }
}

fn devices(scenario: &Scenario, site: &Site, medium: usize, found: &mut Vec<Warning>) {
    let table = &scenario.list("medium")[medium];
    let name = &site.media[medium].name;
    let devices = site.stations.iter().filter(|station| station.on().contains(&(medium as u16))).count();
    if table.word_is("channel", "TP/FT-10") && devices > DEVICES_PER_SEGMENT {
        let message = format!("{devices} devices on the TP/FT-10 channel `{name}`");
        let help = "divide it into segments: [[medium]] for each, joined by a station with router = \"repeater\"";
        found.push(warning(scenario.problem(table, "channel", message, Some(help.to_owned())), SEGMENT));
    }
    if devices > NODES_PER_SUBNET {
        let message = format!("{devices} devices on `{name}` are more than a subnet holds");
        let help = format!("they are simulated in {} subnets", devices.div_ceil(NODES_PER_SUBNET));
        found.push(warning(scenario.problem(table, "name", message, Some(help)), SUBNET));
    }
}

fn shared_slots(scenario: &Scenario, site: &Site, medium: usize, found: &mut Vec<Warning>) {
    let mut by_slot: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (index, station) in site.stations.iter().enumerate() {
        if station.class.priority_slot > 0 && station.on().contains(&(medium as u16)) {
            by_slot.entry(station.class.priority_slot).or_default().push(index);
        }
    }
    let members = scenario.members();
    for (slot, stations) in by_slot.into_iter().filter(|(_, stations)| stations.len() > 1) {
        let (first, last) = (&members[stations[0]], &members[stations[stations.len() - 1]]);
        let message = format!(
            "{} devices of `{}` share priority slot {slot}, {} and {} among them",
            stations.len(),
            site.media[medium].name,
            first.name,
            last.name
        );
        let help = "give each a slot of its own; two that send in one slot collide".to_owned();
        found.push(warning(scenario.problem(last.station, "priority_slot", message, Some(help)), SLOT));
    }
}

fn priority_without_slot(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    for flow in site.flows.iter().filter(|flow| flow.priority) {
        let Some(sender) = flow.from.iter().find(|&&sender| site.stations[sender].class.priority_slot == 0) else {
            continue;
        };
        let Some(table) = scenario.list("flow").iter().find(|table| table.name() == flow.name) else { continue };
        let message = format!(
            "flow `{}` has priority, and its sender {} has no priority slot",
            flow.name,
            site.stations[*sender].name()
        );
        let help = "its packets contend for the channel as all others do; write priority_slot in its [[station]]";
        found.push(warning(scenario.problem(table, "priority", message, Some(help.to_owned())), WITHOUT_SLOT));
    }
}

/// Packets per second that polls put on each channel, against the rate at which it saturates.
fn polling(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let mut load: Vec<(f64, f64)> = vec![(0.0, 0.0); site.media.len()];
    let mut fastest = None;
    for flow in &site.flows {
        let (Arrivals::Poll { interval, cycle }, Target::Polled(points)) = (&flow.arrivals, &flow.to) else { continue };
        let Some(&sender) = flow.from.first().filter(|_| !points.is_empty()) else { continue };
        let round_s = f64::max(interval.seconds() * points.len() as f64, cycle.seconds());
        let (answer, bytes) = match flow.service {
            ServiceKind::Request => (1.0, f64::from(flow.data) + f64::from(flow.response_data)),
            ServiceKind::Acknowledged => (1.0, f64::from(flow.data)),
            ServiceKind::Unacknowledged | ServiceKind::Repeated => (0.0, f64::from(flow.data)),
        };
        let packets = 1.0 + answer;
        for &point in points {
            let (from, to) = (site.stations[sender].on(), site.stations[point].on());
            let crossed = from.iter().chain(to.iter().filter(|medium| !from.contains(medium)));
            for &medium in crossed {
                let (rate, octets) = &mut load[usize::from(medium)];
                *rate += packets / round_s;
                *octets += (packets * OVERHEAD_BYTES + bytes) / round_s;
            }
        }
        fastest = Some(flow.name.as_str());
    }
    let Some(table) = fastest.and_then(|name| scenario.list("flow").iter().find(|table| table.name() == name)) else {
        return;
    };
    for ((rate, octets), medium) in load.into_iter().zip(&site.media) {
        let sustainable = medium.channel.saturation_rate(octets / rate);
        if rate > sustainable {
            let message =
                format!("polling puts {rate:.0} packets/s on `{}`, which saturates at {sustainable:.0}", medium.name);
            let help = "the round takes longer than asked for, and other traffic waits; poll less often".to_owned();
            found.push(warning(scenario.problem(table, "arrivals", message, Some(help)), POLLING));
        }
    }
}
