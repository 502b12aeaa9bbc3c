//! The directions of all links of a scenario with what they do to packets, as other tools need to know it.

use std::sync::Arc;

use sojourn_core::{Duration, RateTrace};
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::scenario::model;
use super::settings::PortSettings;
use crate::site::Site;
use crate::topology::StationKind;

/// Stations and links.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// Name and forwarding delay of each station; hosts do not forward.
    pub stations: Vec<(String, Option<Duration>)>,
    /// The directions of links: that at `2 n + 1` is the other direction of the link of that at `2 n`.
    pub directions: Vec<Direction>,
    /// The directions that the requests of the probe take, or what the first flow sends without one; and those back.
    pub watched: Option<[Vec<usize>; 2]>,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Its medium.
    pub medium: String,
    /// Numbers of the stations that send and receive.
    pub ends: [usize; 2],
    /// Bits a second, with a trace on average; none where packets take no time.
    pub rate: Option<u64>,
    /// Propagation delay.
    pub propagation: Duration,
    /// What else it does, and what waits before it.
    pub settings: PortSettings,
}

impl Direction {
    /// The rate over time.
    pub fn trace(&self) -> Option<&Arc<RateTrace>> {
        self.settings.link.trace.as_ref()
    }
}

impl Links {
    /// The links of a checked scenario of kind `ip`.
    pub fn of(scenario: &Scenario) -> Result<Links, Problems> {
        if scenario.kind != "ip" {
            let message =
                format!("links are those of a scenario of kind \"ip\", and this one is \"{}\"", scenario.kind);
            return Err(Problem::at(scenario.table("network").place_of("kind"), message).into());
        }
        let model = model(scenario, |router| router.duration("forwarding_delay"))?;
        let (site, fabric) = (&model.site, &model.fabric);
        let forwards = |station: &usize| site.topology.stations[*station] != StationKind::Host;
        let stations = { site.stations.iter().enumerate() }
            .map(|(number, name)| (name.clone(), forwards(&number).then(|| fabric.latencies[number])))
            .collect();
        let directions = { site.topology.ports.iter().zip(&fabric.ports).enumerate() }
            .map(|(number, (port, settings))| Direction {
                medium: medium_of(scenario, site, number as u32).name().to_owned(),
                ends: [port.from, port.to].map(|station| station as usize),
                rate: (!settings.link.unlimited).then_some(port.rate),
                propagation: port.propagation,
                settings: settings.clone(),
            })
            .collect();
        let route = |connection: u32| {
            site.topology.routes[connection as usize].iter().map(|port| *port as usize).collect::<Vec<usize>>()
        };
        let watched = site.watched_connection().map(|connection| [connection, connection ^ 1].map(route));
        Ok(Links { stations, directions, watched })
    }
}

/// The table of the medium that a port sends on.
pub fn medium_of<'s>(scenario: &'s Scenario, site: &Site, port: u32) -> &'s Table {
    let line = &site.topology.ports[port as usize];
    let ends = [line.from, line.to].map(|station| station as usize);
    let members = scenario.members();
    let on = |station: usize, name: &str| members[station].station.words("on").contains(&name);
    let table = scenario.list("medium").iter().find(|medium| ends.iter().all(|&end| on(end, medium.name())));
    table.expect("the ends of a link are on its medium")
}
