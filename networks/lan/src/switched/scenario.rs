//! Converts a checked scenario to hosts on a fabric.

use sojourn_scenario::{Member, Problems, Scenario, Table};

use super::cells;
use super::cells::settings::{ConnectionSettings, LLC_HEADER, PortSettings, Service, Settings};
use crate::capture::Form;
use crate::circuits::Circuits;
use crate::flows::Flows;
use crate::ip;
use crate::layout::Layout;
use crate::model::LanModel;
use crate::site::Site;
use crate::topology::{Category, StationKind};
use sojourn_model::Model;

/// The LAN a scenario describes.
pub fn model(scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
    match scenario.table("lan").word("framing") {
        "cells" => Ok(Box::new(atm(scenario, scenario.table("lan"))?)),
        _ => Ok(Box::new(ethernet(scenario)?)),
    }
}

pub fn ethernet(scenario: &Scenario) -> Result<LanModel<ip::Settings>, Problems> {
    ip::scenario::model(scenario, |switch| switch.table("switch").duration("latency"))
}

pub fn atm(scenario: &Scenario, table: &Table) -> Result<LanModel<Settings>, Problems> {
    let members = scenario.members();
    let category = if table.word("service") == "abr" { Category::Available } else { Category::Unspecified };
    let circuits = Circuits::new(table.word("circuits") == "per-pair", category);
    let flows = crate::scenario::flows(scenario, &members, circuits, Some(table.number("mtu") as u32))?;
    let channels = flows.circuits.channels(&flows.layout).map_err(|message| {
        let help = "leave vci out to have free ones assigned";
        Problems(vec![scenario.problem(table, "framing", message, Some(help.to_owned()))])
    })?;
    check_crossbars(scenario, &members, &flows.layout)?;
    let fabric = settings(scenario, &members, &flows, table);
    let events = ip::events::plan(scenario, &flows, true)?;
    let site = crate::scenario::site(&members, flows, channels, capture(table));
    Ok(LanModel { site: Site { events, ..site }, fabric })
}

fn capture(lan: &Table) -> Form {
    // readers know what a frame holds by its LLC and SNAP headers
    match (lan.word("encapsulation"), lan.word("capture")) {
        ("llc", "frames") => Form::SunAtm,
        ("llc", _) => Form::Erf,
        _ => Form::RawIp,
    }
}

/// A crossbar represents its inputs as the bits of a word.
fn check_crossbars(scenario: &Scenario, members: &[Member<'_>], layout: &Layout<'_>) -> Result<(), Problems> {
    const MOST: usize = 64;
    let mut problems = Problems::new();
    for (at, member) in members.iter().enumerate().filter(|(_, member)| member.station.word("type") == "switch") {
        let (switch, links) = (member.station.table("switch"), layout.links_of(at));
        if switch.word("architecture").starts_with("input") && links > MOST {
            let message = format!("switch `{}` has {links} links; a crossbar has at most {MOST}", member.name);
            let help = "architectures with output queues have no limit".to_owned();
            problems.push(scenario.problem(switch, "architecture", message, Some(help)));
        }
    }
    problems.or(())
}

fn settings(scenario: &Scenario, members: &[Member<'_>], flows: &Flows<'_>, lan: &Table) -> Settings {
    let slotted = lan.flag("slotted");
    let header = if lan.word("encapsulation") == "llc" { LLC_HEADER } else { 0 };
    let abr = cells::scenario::available(scenario.table("abr"));
    let switched = |(kind, member): (&StationKind, &Member<'_>)| {
        (*kind == StationKind::Switch).then(|| cells::scenario::switch(&member.name, member.station.table("switch")))
    };
    let port = |(number, name): (usize, &String)| PortSettings {
        name: name.clone(),
        slotted,
        loss: flows.layout.media[number / 2].number("loss"),
        changes: !scenario.events().is_empty(),
    };
    let connection = |category: Category| ConnectionSettings {
        header,
        service: match category {
            Category::Unspecified => Service::Unspecified,
            Category::Available => Service::Available(abr.clone()),
        },
    };
    Settings {
        switches: flows.layout.topology.stations.iter().zip(members).map(switched).collect(),
        ports: flows.layout.port_names.iter().enumerate().map(port).collect(),
        connections: flows.circuits.categories().into_iter().map(connection).collect(),
    }
}
