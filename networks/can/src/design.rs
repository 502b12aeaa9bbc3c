//! Rules of the trade that a site breaks.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_model::Warning;
use sojourn_protocols::can::controller::Discipline;
use sojourn_scenario::Scenario;

use crate::site::{Service, Site};

const UNIQUE: &str =
    "CAN Specification 2.0, part A, 3.1: of data frames with one identifier only one node may be the sender";
const ALONE: &str = "ISO 11898-1, 10.4.2.6: a frame that no other node acknowledges is an error and is sent again";
const FIFO: &str = "Davis, Kollmann, Pollex and Slomka, ECRTS 2011: FIFO queues cause priority inversion";
const SPACING: &str = "SAE J1939-21, 5.10.2.3: packets to all are 50 to 200 ms apart";

/// The rules that a site breaks.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    shared_identifiers(scenario, site, &mut found);
    lone_senders(scenario, site, &mut found);
    inversions(scenario, site, &mut found);
    spacing(scenario, site, &mut found);
    found
}

/// Two stations that send data frames of one identifier on one bus: once they begin together, both are in error.
fn shared_identifiers(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let mut senders: BTreeMap<(u16, u32), (u32, usize)> = BTreeMap::new();
    for (number, flow) in site.flows.iter().enumerate() {
        let of_sender = |sender: &crate::site::Sender| {
            let forth = if matches!(flow.service, Service::Remote(_)) { &[][..] } else { &sender.forth };
            forth.iter().chain(&sender.back).copied().collect::<Vec<u32>>()
        };
        for hop in flow.senders.iter().flat_map(of_sender).map(|hop| &site.hops[hop as usize]) {
            let port = site.ports[hop.port as usize];
            if site.media[usize::from(port.medium)].link.is_some() {
                continue;
            }
            let key = (port.medium, hop.id.arbitration(false));
            let (station, other) = *senders.entry(key).or_insert((port.station, number));
            if station == port.station {
                continue;
            }
            let [one, two] = [station, port.station].map(|station| &site.stations[station as usize].name);
            let message = format!(
                "`{one}` (flow `{}`) and `{two}` both send identifier {}h on `{}`: when they begin together their frames destroy each other",
                site.flows[other].name,
                hop.id,
                site.media[usize::from(port.medium)].name
            );
            let help = "give each sender an identifier of its own".to_owned();
            let table = &scenario.list("flow")[number];
            found.push(Warning { problem: scenario.problem(table, "id", message, Some(help)), rule: UNIQUE });
            return;
        }
    }
}

/// A bus with one node that acknowledges, or none.
fn lone_senders(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    for (medium, table) in site.media.iter().zip(scenario.list("medium")).filter(|(medium, _)| medium.link.is_none()) {
        let [first, count] = medium.ports.map(|number| number as usize);
        let ports = &site.ports[first..first + count];
        let acknowledges = |station: u32| site.stations[station as usize].class.acknowledges;
        let acknowledging = ports.iter().filter(|port| acknowledges(port.station)).count();
        if acknowledging > 1 || ports.is_empty() {
            continue;
        }
        let message = match acknowledging {
            0 => format!("no node of bus `{}` acknowledges: every frame is repeated for ever", medium.name),
            _ => format!("bus `{}` has one node that acknowledges: its own frames are repeated for ever", medium.name),
        };
        let help = "add a node with acknowledge = true".to_owned();
        found.push(Warning { problem: scenario.problem(table, "bit_rate", message, Some(help)), rule: ALONE });
    }
}

/// A FIFO in which an urgent message waits behind others of the same node.
fn inversions(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let judged =
        |flow: &&crate::site::FlowSettings| flow.deadline.is_some_and(|deadline| deadline < Duration::from_millis(20));
    for flow in site.flows.iter().filter(judged) {
        let in_fifo = flow.senders.iter().map(|sender| &site.stations[sender.station as usize]);
        let Some(station) = in_fifo.into_iter().find(|station| station.class.discipline == Discipline::Fifo) else {
            continue;
        };
        let others = site.flows.iter().filter(|other| other.name != flow.name);
        let behind = others.flat_map(|other| &other.senders);
        let count = behind.filter(|sender| site.stations[sender.station as usize].name == station.name).count();
        if count == 0 {
            continue;
        }
        let message = format!(
            "`{}` has a deadline of {} and waits in the FIFO of `{}` behind {count} other messages of any priority",
            flow.name,
            flow.deadline.unwrap_or_default(),
            station.name
        );
        let Some(table) = scenario.flow_named(&flow.name) else { continue };
        let help = format!("set station.{}.queue = \"priority\"", station.name);
        found.push(Warning { problem: scenario.problem(table, "deadline", message, Some(help)), rule: FIFO });
    }
}

/// Packets to all that are nearer than receivers must take.
fn spacing(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    for flow in &site.flows {
        let Service::J1939(parameters, true) = flow.service else { continue };
        let [least, most] = [50, 200].map(Duration::from_millis);
        if (least..=most).contains(&parameters.spacing) {
            continue;
        }
        let Some(table) = scenario.flow_named(&flow.name) else { continue };
        let message = format!("packets of `{}` are {} apart", flow.name, parameters.spacing);
        let help = Some("give packet_interval 50 ms to 200 ms".to_owned());
        found.push(Warning { problem: scenario.problem(table, "packet_interval", message, help), rule: SPACING });
    }
}
