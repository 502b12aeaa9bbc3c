//! Builds links from media, and the routes over them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use sojourn_core::{Duration, RateTrace};
use sojourn_scenario::{Member, Problems, Scenario, Table, rate_trace};

use super::ip::keys::{RATE_BACK, RATE_TRACE, RATE_TRACE_BACK};
use super::topology::{Port, StationKind, Topology};

/// Propagation in fibre and cable: 5 ns per metre.
pub const PICOSECONDS_PER_METRE: f64 = 5_000.0;

/// Stations and links, and the medium of each link.
pub struct Layout<'s> {
    /// Stations, links and, as flows ask for them, routes.
    pub topology: Topology,
    /// Name of each port: `STATION/NEIGHBOUR`.
    pub port_names: Vec<String>,
    /// By link the keys of its medium.
    pub media: Vec<&'s Table>,
    /// By station its ports.
    outputs: Vec<Vec<u32>>,
    /// By station its ports to switches and shared wires.
    trunks: Vec<Vec<u32>>,
    names: Vec<String>,
    /// Wires that stations share.
    pub segments: Vec<Shared<'s>>,
}

/// A wire that stations share.
pub struct Shared<'s> {
    /// Its keys.
    pub medium: &'s Table,
    /// The stations on it, each with the port by which it sends.
    pub stations: Vec<(usize, u32)>,
}

impl<'s> Layout<'s> {
    /// The stations and links of a scenario.
    pub fn new(scenario: &'s Scenario, members: &[Member<'_>], problems: &mut Problems) -> Self {
        let kind = |member: &Member<'_>| match member.station.word("type") {
            "host" => StationKind::Host,
            _ => StationKind::Switch,
        };
        let mut layout = Layout {
            topology: Topology { stations: members.iter().map(kind).collect(), ..Topology::default() },
            port_names: Vec::new(),
            media: Vec::new(),
            outputs: vec![Vec::new(); members.len()],
            trunks: vec![Vec::new(); members.len()],
            names: members.iter().map(|member| member.name.clone()).collect(),
            segments: Vec::new(),
        };
        let mut on: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, member) in members.iter().enumerate() {
            let mut media = member.station.words("on");
            media.sort_unstable();
            media.dedup();
            media.into_iter().for_each(|medium| on.entry(medium).or_default().push(index));
        }
        for medium in scenario.list("medium") {
            let stations = on.remove(medium.name()).unwrap_or_default();
            layout.lay(scenario, medium, stations, problems);
        }
        layout.check_hosts(scenario, members, problems);
        layout
    }

    /// Lays the links of a medium between the stations on it.
    fn lay(&mut self, scenario: &Scenario, medium: &'s Table, stations: Vec<usize>, problems: &mut Problems) {
        if is_shared(medium) {
            return self.share(scenario, medium, &stations, problems);
        }
        let (switches, hosts): (Vec<usize>, Vec<usize>) =
            stations.into_iter().partition(|&index| self.topology.stations[index] == StationKind::Switch);
        match (&switches[..], &hosts[..]) {
            (&[switch], [_, ..]) => hosts.iter().for_each(|&host| self.link(medium, switch, host)),
            (&[one, other], []) | ([], &[one, other]) => self.link(medium, one, other),
            _ => {
                let message = format!(
                    "medium `{}` has {} and {}",
                    medium.name(),
                    counted(switches.len(), "switch", "switches"),
                    counted(hosts.len(), "host", "hosts")
                );
                let help = "a medium joins two stations, or one switch and its hosts".to_owned();
                problems.push(scenario.problem(medium, "name", message, Some(help)));
            }
        }
    }

    /// Lays a wire that stations share: a link from each of them to the wire.
    fn share(&mut self, scenario: &Scenario, medium: &'s Table, stations: &[usize], problems: &mut Problems) {
        if stations.len() < 2 {
            let message = format!("medium `{}` has {}", medium.name(), counted(stations.len(), "station", "stations"));
            let help = "a shared medium has two stations or more `on` it".to_owned();
            problems.push(scenario.problem(medium, "name", message, Some(help)));
            return;
        }
        let wire = self.topology.stations.len();
        self.topology.stations.push(StationKind::Segment);
        self.outputs.push(Vec::new());
        self.trunks.push(Vec::new());
        self.names.push(medium.name().to_owned());
        let mut shared = Shared { medium, stations: Vec::new() };
        for &station in stations {
            shared.stations.push((station, self.topology.ports.len() as u32));
            self.link(medium, station, wire);
        }
        self.segments.push(shared);
    }

    fn link(&mut self, medium: &'s Table, one: usize, other: usize) {
        self.media.push(medium);
        // that of a shared wire is between each two of its stations
        let propagation = if is_shared(medium) { Duration::ZERO } else { propagation(medium) };
        for (is_back, (from, to)) in [(false, (one, other)), (true, (other, one))] {
            let rate = trace(medium, is_back).map_or_else(|| rate(medium, is_back), |trace| trace.mean_rate());
            let port = self.topology.ports.len() as u32;
            self.outputs[from].push(port);
            if self.topology.stations[to] != StationKind::Host {
                self.trunks[from].push(port);
            }
            self.topology.ports.push(Port { from: from as u32, to: to as u32, rate, propagation });
            self.port_names.push(format!("{}/{}", self.names[from], self.names[to]));
        }
    }

    /// A host has one link.
    fn check_hosts(&self, scenario: &Scenario, members: &[Member<'_>], problems: &mut Problems) {
        for (member, outputs) in members.iter().zip(&self.outputs) {
            if member.station.word("type") == "host" && outputs.len() > 1 {
                let message = format!("host `{}` has {} links", member.name, outputs.len());
                let help = "a host has one link; switches and routers forward between several".to_owned();
                problems.push(scenario.problem(member.station, "on", message, Some(help)));
                return;
            }
        }
    }

    /// The ports on the shortest path between two hosts, of equals the first declared; `None` if there is no path.
    pub fn route(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        if from == to {
            return Some(Vec::new());
        }
        let mut reached_by: BTreeMap<usize, u32> = BTreeMap::new();
        let mut next = VecDeque::from([from]);
        while let Some(station) = next.pop_front() {
            // a switch may have thousands of hosts: only links to switches are followed
            if let Some(last) = self.link_between(station, to) {
                return Some(self.path(from, last, &reached_by));
            }
            for &port in &self.trunks[station] {
                let neighbour = self.topology.ports[port as usize].to as usize;
                if neighbour != from && !reached_by.contains_key(&neighbour) {
                    reached_by.insert(neighbour, port);
                    next.push_back(neighbour);
                }
            }
        }
        None
    }

    /// The first declared port from a station to a neighbour.
    fn link_between(&self, station: usize, neighbour: usize) -> Option<u32> {
        let towards = self.outputs[neighbour].iter().map(|&port| port ^ 1);
        towards.filter(|&port| self.topology.ports[port as usize].from as usize == station).min()
    }

    /// The ports from a station to the last one, over those that reached each switch.
    fn path(&self, from: usize, last: u32, reached_by: &BTreeMap<usize, u32>) -> Vec<u32> {
        let before = |port: u32| reached_by.get(&(self.topology.ports[port as usize].from as usize)).copied();
        let mut path: Vec<u32> = std::iter::successors(Some(last), |&port| {
            if self.topology.ports[port as usize].from as usize == from { None } else { before(port) }
        })
        .collect();
        path.reverse();
        path
    }

    /// Name of a station, as in the scenario.
    pub fn name(&self, station: usize) -> &str {
        &self.names[station]
    }

    /// How many links a station has.
    pub fn links_of(&self, station: usize) -> usize {
        self.outputs[station].len()
    }

    /// The ports by which a station sends.
    pub fn ports_of(&self, station: usize) -> &[u32] {
        &self.outputs[station]
    }

    /// Whether two pairs of connections have a link in common.
    pub fn share_a_link(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|pair| &self.topology.routes[2 * pair]);
        one.iter().any(|port| other.iter().any(|there| port / 2 == there / 2))
    }

    /// The names of the hosts at a pair of connections' ends.
    pub fn ends_of(&self, pair: usize) -> String {
        let connection = 2 * pair as u32;
        let [from, to] = [self.topology.source(connection), self.topology.destination(connection)];
        format!("{} to {}", self.name(from as usize), self.name(to as usize))
    }

    /// The smallest MTU on a connection's path, octets.
    pub fn path_mtu(&self, connection: u32) -> u32 {
        let route = &self.topology.routes[connection as usize];
        let octets = route.iter().map(|&port| self.media[port as usize / 2].number("mtu") as u32);
        octets.min().expect("a path has a port")
    }

    /// Adds a connection over `route`, and the one back; the number of the first.
    pub fn connect(&mut self, route: Vec<u32>) -> u32 {
        let back = route.iter().rev().map(|port| port ^ 1).collect();
        self.topology.routes.extend([route, back]);
        self.topology.routes.len() as u32 - 2
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}

/// Whether the stations on a medium share one wire.
pub fn is_shared(medium: &Table) -> bool {
    medium.optional_word("kind") == Some("shared")
}

/// The constant rate of one direction of a medium's links; the most there is for `unlimited`, which takes no time.
fn rate(medium: &Table, is_back: bool) -> u64 {
    medium.optional_number(rate_key(medium, is_back)).map_or(u64::MAX, |rate| libm::round(rate) as u64)
}

/// The key of the constant rate of one direction.
pub fn rate_key(medium: &Table, is_back: bool) -> &'static str {
    if is_back && medium.has(RATE_BACK) { RATE_BACK } else { "rate" }
}

/// The rate over time of one direction of a medium's links; none where it is constant.
pub fn trace(medium: &Table, is_back: bool) -> Option<Arc<RateTrace>> {
    let key = if is_back && medium.has(RATE_TRACE_BACK) { RATE_TRACE_BACK } else { RATE_TRACE };
    rate_trace::of(medium, key).expect("a checked trace").map(Arc::new)
}

/// The propagation delay of a link of a medium: along its length, and its `delay`.
pub fn propagation(medium: &Table) -> Duration {
    let along = libm::round(medium.number("length") * PICOSECONDS_PER_METRE) as u64;
    Duration::from_picoseconds(along) + medium.duration("delay")
}

#[cfg(test)]
mod tests;
