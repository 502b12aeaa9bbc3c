//! From a checked scenario to a site.

use sojourn_core::Duration;
use sojourn_scenario::{Member, Problems, Scenario, Table};

use super::capture::Form;
use super::cells::settings;
use super::circuits::Circuits;
use super::flows::Flows;
use super::hosts::{Costs, Work};
use super::layout::Layout;
use super::site::{FabricSite, Site};
use super::topology::{Category, StationKind};
use super::{cells, packets};

/// The site a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let members = scenario.members();
    let mut problems = Problems::new();
    let layout = Layout::new(scenario, &members, &mut problems);
    // flows over links that are wrong would only be wrong again
    let layout = problems.or(layout)?;
    let framing = Framing::of(scenario);
    let flows = Flows::read(scenario, &members, layout, framing)?;
    let channels = match framing {
        Framing::Cells(lan) => flows.circuits.channels(&flows.layout).map_err(|message| {
            let help = "leave virtual_channel out, and numbers are given that are free";
            Problems(vec![scenario.problem(lan.table, "framing", message, Some(help.to_owned()))])
        })?,
        Framing::Packets => Vec::new(),
    };
    match framing {
        Framing::Cells(_) => check_crossbars(scenario, &members, &flows.layout)?,
        Framing::Packets => {
            packets::scenario::check_rates(scenario, &flows.layout.topology.routes, &flows.layout.media)?;
        }
    }
    let fabric = fabric(scenario, &members, &flows, framing);
    let Flows { layout, activities, names: flow_names, .. } = flows;
    let is_host = |station: usize| layout.topology.stations[station] == StationKind::Host;
    Ok(Site {
        fabric,
        stations: members.iter().map(|member| member.name.clone()).collect(),
        costs: members.iter().enumerate().map(|(at, member)| is_host(at).then(|| costs(member.station))).collect(),
        ports: layout.port_names,
        topology: layout.topology,
        activities,
        flows: flow_names,
        channels,
        capture: framing.capture(),
    })
}

/// What goes over the links.
#[derive(Clone, Copy)]
pub enum Framing<'s> {
    /// ATM.
    Cells(Lan<'s>),
    /// Ethernet, or any path IP takes.
    Packets,
}

/// What the circuits of an ATM LAN have in common.
#[derive(Clone, Copy)]
pub struct Lan<'s> {
    /// The table that says so.
    pub table: &'s Table,
    /// Octets of the longest IP datagram.
    pub mtu: u32,
}

impl<'s> Framing<'s> {
    fn of(scenario: &'s Scenario) -> Self {
        if scenario.kind != "switched-lan" {
            return Framing::Packets;
        }
        let table = scenario.table("lan");
        match table.word("framing") {
            "cells" => Framing::Cells(Lan { table, mtu: table.number("mtu") as u32 }),
            _ => Framing::Packets,
        }
    }

    /// The circuits of flows between the same hosts.
    pub fn circuits(self) -> Circuits {
        match self {
            Framing::Cells(Lan { table, .. }) => {
                let category = if table.word("service") == "abr" { Category::Available } else { Category::Unspecified };
                Circuits::new(table.word("circuits") == "per-pair", category)
            }
            Framing::Packets => Circuits::new(false, Category::Unspecified),
        }
    }

    fn capture(self) -> Form {
        match self {
            // readers know what a frame holds by its LLC and SNAP headers
            Framing::Cells(Lan { table, .. }) if table.word("encapsulation") == "llc" => match table.word("capture") {
                "frames" => Form::SunAtm,
                _ => Form::Erf,
            },
            _ => Form::RawIp,
        }
    }
}

/// A crossbar matches its inputs as the bits of a word.
fn check_crossbars(scenario: &Scenario, members: &[Member<'_>], layout: &Layout<'_>) -> Result<(), Problems> {
    const MOST: usize = 64;
    let mut problems = Problems::new();
    for (at, member) in members.iter().enumerate().filter(|(_, member)| member.station.word("type") == "switch") {
        let (switch, links) = (member.station.table("switch"), layout.links_of(at));
        if switch.word("architecture").starts_with("input") && links > MOST {
            let message = format!("switch `{}` has {links} links, and a crossbar at most {MOST}", member.name);
            let help = "an architecture with queues at its outputs has any number".to_owned();
            problems.push(scenario.problem(switch, "architecture", message, Some(help)));
        }
    }
    problems.or(())
}

fn fabric(scenario: &Scenario, members: &[Member<'_>], flows: &Flows<'_>, framing: Framing<'_>) -> FabricSite {
    match framing {
        Framing::Cells(lan) => FabricSite::Cells(cells(scenario, members, flows, lan)),
        Framing::Packets => {
            let latency = |member: &Member<'_>| match member.station.optional_table("switch") {
                Some(switch) => switch.duration("latency"),
                None => member.station.duration("forwarding_delay"),
            };
            let latencies = members.iter().map(latency).collect();
            FabricSite::Packets(packets::Settings::of(&flows.layout.port_names, &flows.layout.media, latencies))
        }
    }
}

fn cells(scenario: &Scenario, members: &[Member<'_>], flows: &Flows<'_>, lan: Lan<'_>) -> settings::Settings {
    let slotted = lan.table.flag("slotted");
    let header = if lan.table.word("encapsulation") == "llc" { settings::LLC_HEADER } else { 0 };
    let abr = cells::scenario::available(scenario.table("abr"));
    let switched = |(kind, member): (&StationKind, &Member<'_>)| {
        (*kind == StationKind::Switch).then(|| cells::scenario::switch(&member.name, member.station.table("switch")))
    };
    let port = |(number, name): (usize, &String)| settings::PortSettings {
        name: name.clone(),
        slotted,
        loss: flows.layout.media[number / 2].number("loss"),
    };
    let connection = |category: Category| settings::ConnectionSettings {
        header,
        service: match category {
            Category::Unspecified => settings::Service::Unspecified,
            Category::Available => settings::Service::Available(abr.clone()),
        },
    };
    settings::Settings {
        switches: flows.layout.topology.stations.iter().zip(members).map(switched).collect(),
        ports: flows.layout.port_names.iter().enumerate().map(port).collect(),
        connections: flows.circuits.categories().into_iter().map(connection).collect(),
    }
}

fn costs(station: &Table) -> Costs {
    let table = station.table("costs");
    let [packet, acknowledgement] = ["packet", "acknowledgement"]
        .map(|key| split(table.duration(key), table.number(&format!("{key}_receive_share"))));
    let [per_octet, per_cluster] =
        ["per_octet", "per_cluster"].map(|key| split(table.duration(key), table.number("per_octet_receive_share")));
    let [send, receive] = [0, 1].map(|way| Work {
        packet: packet[way],
        per_octet: per_octet[way],
        per_cluster: per_cluster[way],
        acknowledgement: acknowledgement[way],
    });
    let stores = table.word("adapter") == "store-and-forward";
    Costs {
        send,
        receive,
        receive_delay: table.duration("receive_delay"),
        bus_rate: stores.then(|| libm::round(table.number("bus_rate")) as u64),
    }
}

/// What sending and receiving cost of a cost of both.
fn split(both: Duration, receive_share: f64) -> [Duration; 2] {
    let receive = libm::round(both.picoseconds() as f64 * receive_share) as u64;
    [both.saturating_sub(Duration::from_picoseconds(receive)), Duration::from_picoseconds(receive)]
}
