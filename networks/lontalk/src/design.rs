//! Design rules that a site may violate and still run: each violation is a warning with its source.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_model::traffic::Arrivals;
use sojourn_scenario::{Problem, Scenario, Table};

use super::routes::Routes;
use super::site::{FlowSettings, ServiceKind, Site, StationSettings, Target};
use sojourn_model::Warning;

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
const BETWEEN_POLLS: &str = "interval is between two polls, of whichever receivers";
/// From this interval on it is taken for that of each receiver now and then: a supervisor that asks one after the other does not pause
/// for so long.
const LONG_INTERVAL: Duration = Duration::from_secs(1);
const TIMER: &str =
    "Echelon, IP-852 Channel User's Guide (078-0312-01): timers follow the expected round trip of the channel";
/// Bytes of an LPDU without the data of a network variable: headers, subnet and node addresses, selector, CRC.
pub(super) const OVERHEAD_BYTES: f64 = 10.0;

/// The rules that a site breaks.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    let devices = devices(site);
    segments(scenario, &devices, &mut found);
    subnets(scenario, &devices, &mut found);
    shared_slots(scenario, site, &mut found);
    priority_without_slot(scenario, site, &mut found);
    polling(scenario, site, &mut found);
    rounds(scenario, site, &mut found);
    timers(scenario, site, &mut found);
    found
}

fn warning(problem: Problem, rule: &'static str) -> Warning {
    Warning { problem, rule }
}

/// Devices on each medium.
fn devices(site: &Site) -> Vec<usize> {
    let mut devices = vec![0; site.media.len()];
    site.stations.iter().flat_map(StationSettings::on).for_each(|&medium| devices[usize::from(medium)] += 1);
    devices
}

/// Free-topology channels with more devices than a segment holds.
fn segments(scenario: &Scenario, devices: &[usize], found: &mut Vec<Warning>) {
    let tables = scenario.list("medium");
    let is_crowded =
        |&medium: &usize| devices[medium] > DEVICES_PER_SEGMENT && tables[medium].word_is("channel", "TP/FT-10");
    let crowded: Vec<usize> = (0..tables.len()).filter(is_crowded).collect();
    let Some(&first) = crowded.first() else { return };
    let (most, named) = (most(devices, &crowded), named(tables, &crowded));
    let message = match crowded.len() {
        1 => format!("{most} devices on the TP/FT-10 channel {named}"),
        count => format!("up to {most} devices on {count} TP/FT-10 channels: {named}"),
    };
    let help = "divide it into segments: [[medium]] for each, joined by a station with router = \"repeater\"";
    found.push(warning(scenario.problem(&tables[first], "channel", message, Some(help.to_owned())), SEGMENT));
}

/// Channels with more devices than a subnet holds.
fn subnets(scenario: &Scenario, devices: &[usize], found: &mut Vec<Warning>) {
    let tables = scenario.list("medium");
    let crowded: Vec<usize> = (0..tables.len()).filter(|&medium| devices[medium] > NODES_PER_SUBNET).collect();
    let Some(&first) = crowded.first() else { return };
    let (most, named) = (most(devices, &crowded), named(tables, &crowded));
    let parts = most.div_ceil(NODES_PER_SUBNET);
    let (up_to, help) = match crowded.len() {
        1 => ("", format!("they are simulated in {parts} subnets")),
        _ => ("up to ", format!("those of a channel are simulated in up to {parts} subnets")),
    };
    let message = format!("{up_to}{most} devices on {named} are more than a subnet holds");
    found.push(warning(scenario.problem(&tables[first], "name", message, Some(help)), SUBNET));
}

fn most(devices: &[usize], media: &[usize]) -> usize {
    media.iter().map(|&medium| devices[medium]).max().unwrap_or(0)
}

/// The first two of some media by name, and how many others there are.
fn named(tables: &[Table], media: &[usize]) -> String {
    let names: Vec<String> = media.iter().take(2).map(|&medium| format!("`{}`", tables[medium].name())).collect();
    match media.len() {
        0..=2 => names.join(" and "),
        count => format!("{} and {} more", names.join(", "), count - 2),
    }
}

fn shared_slots(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let mut by_slot: BTreeMap<(u16, u8), Vec<usize>> = BTreeMap::new();
    for (index, station) in site.stations.iter().enumerate().filter(|(_, station)| station.class.priority_slot > 0) {
        for &medium in station.on() {
            by_slot.entry((medium, station.class.priority_slot)).or_default().push(index);
        }
    }
    by_slot.retain(|_, stations| stations.len() > 1);
    let members = if by_slot.is_empty() { Vec::new() } else { scenario.members() };
    for ((medium, slot), stations) in by_slot {
        let (first, last) = (&members[stations[0]], &members[stations[stations.len() - 1]]);
        let message = format!(
            "{} devices of `{}` share priority slot {slot}, {} and {} among them",
            stations.len(),
            site.media[usize::from(medium)].name,
            first.name,
            last.name
        );
        let help = "give each a slot of its own; two that send in one slot collide".to_owned();
        found.push(warning(scenario.problem(last.station, "priority_slot", message, Some(help)), SLOT));
    }
}

fn priority_without_slot(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    for flow in site.flows.iter().filter(|flow| flow.priority) {
        let Some(sender) = flow.from.iter().find(|&&sender| lacks_slot(site, sender)) else {
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

/// Transaction timers that end before an answer can have come back over IP networks.
fn timers(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let answered = |flow: &&FlowSettings| matches!(flow.service, ServiceKind::Acknowledged | ServiceKind::Request);
    if site.media.iter().all(|medium| medium.ip.is_none()) {
        return;
    }
    let Ok(routes) = Routes::new(site) else { return };
    for flow in site.flows.iter().filter(answered) {
        let (longest, is_most) =
            ends(flow).map(|(from, to)| delay_between(site, &routes, from, to)).max().unwrap_or_default();
        let round_trip = longest.times(2);
        let is = if is_most { "is up to" } else { "is on average" };
        let Some(table) = scenario.list("flow").iter().find(|table| table.name() == flow.name) else { continue };
        if flow.timer.duration() <= round_trip {
            let message = format!(
                "the transaction timer of flow `{}` is {}, and the RTT of the IP network alone {is} {round_trip}",
                flow.name,
                flow.timer.duration()
            );
            let help = "every message is sent again before its answer can come; take a longer timer".to_owned();
            found.push(warning(scenario.problem(table, "transaction_timer", message, Some(help)), TIMER));
        }
    }
}

/// Senders and receivers of a flow, each pair once at least.
pub(super) fn ends(flow: &FlowSettings) -> Box<dyn Iterator<Item = (usize, usize)> + '_> {
    let from = flow.from.iter().copied();
    match &flow.to {
        Target::Each(to) | Target::UniqueId(to) | Target::GroupOfTwo(to) => Box::new(from.zip(to.iter().copied())),
        Target::Station(to) => Box::new(from.map(|from| (from, *to))),
        Target::Group(to) | Target::Polled(to) => Box::new(from.flat_map(|from| to.iter().map(move |&to| (from, to)))),
        Target::Broadcast => Box::new(std::iter::empty()),
    }
}

/// The one-way delay of the IP networks between two stations: the longest, and true; or the mean, where jitter has no upper end.
fn delay_between(site: &Site, routes: &Routes, from: usize, to: usize) -> (Duration, bool) {
    let home = |station: usize| usize::from(site.stations[station].on()[0]);
    let path = std::iter::once(home(from)).chain(routes.path(site, home(from), home(to)));
    let of_ip = path.filter_map(|medium| site.media[medium].ip.as_ref());
    if from == to {
        return (Duration::ZERO, true);
    }
    of_ip.fold((Duration::ZERO, true), |(sum, is_most), ip| match ip.path.jitter.most() {
        Some(most) => (sum + ip.path.delay + most, is_most),
        None => (sum + ip.path.delay + ip.path.jitter.mean(), false),
    })
}

/// Whether a station has no priority slot, and a channel with slots.
fn lacks_slot(site: &Site, station: usize) -> bool {
    let settings = &site.stations[station];
    settings.class.priority_slot == 0
        && settings.on().iter().any(|&medium| site.media[usize::from(medium)].ip.is_none())
}

/// Polls whose interval may be meant as the time in which each receiver is polled once.
fn rounds(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    for (flow, table) in site.flows.iter().zip(scenario.list("flow")) {
        let (Arrivals::Poll { interval, cycle: Duration::ZERO }, Target::Polled(points)) = (&flow.arrivals, &flow.to)
        else {
            continue;
        };
        if points.len() > 1 && *interval >= LONG_INTERVAL {
            let round = in_words(interval.times(points.len() as u64));
            let interval = in_words(*interval);
            let message = format!("{} receivers, one every {interval}: each is polled every {round}", points.len());
            let help = format!("for all of them every {interval}: cycle = \"{interval}\" in place of interval");
            found.push(warning(scenario.problem(table, "arrivals", message, Some(help)), BETWEEN_POLLS));
        }
    }
}

/// A time in the unit that it is spoken of in.
fn in_words(span: Duration) -> String {
    let tenths = |unit: f64| (span.seconds() / unit * 10.0).round() / 10.0;
    match span.seconds() {
        s if s < 120.0 => span.to_string(),
        s if s < 7200.0 => format!("{} min", tenths(60.0)),
        _ => format!("{} h", tenths(3600.0)),
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
    for ((rate, octets), medium) in load.into_iter().zip(&site.media).filter(|(_, medium)| medium.ip.is_none()) {
        let sustainable = medium.channel.saturation_rate(octets / rate);
        if rate > sustainable {
            let message =
                format!("polling puts {rate:.0} packets/s on `{}`, which saturates at {sustainable:.0}", medium.name);
            let help = "the round takes longer than asked for, and other traffic waits; poll less often".to_owned();
            found.push(warning(scenario.problem(table, "arrivals", message, Some(help)), POLLING));
        }
    }
}
