//! Installation of a site, as by an LNS tool: addresses, groups, routing tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use sojourn_protocols::lontalk::machine::{Membership, NodeConfiguration, Recipient, Settings};
use sojourn_protocols::lontalk::timer::ReceiveTimer;
use sojourn_protocols::lontalk::wire::{Destination, SubnetNode};

use super::routes::{self, Duty, Loop, Routes};
use super::site::{FlowSettings, ServiceKind, Site, Target};
use super::slab::NONE;

/// Nodes of a subnet (ISO/IEC 14908-1, 6).
const NODES_PER_SUBNET: usize = 127;
/// Subnets of a domain (ISO/IEC 14908-1, 6).
const SUBNETS: usize = 255;
/// Groups of a domain (ISO/IEC 14908-1, 6).
const GROUPS: usize = 256;

/// Why a site cannot be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallationError {
    /// The domain's subnets are used up.
    Subnets,
    /// The domain's groups are used up.
    Groups,
    /// An acknowledged group has too many members.
    GroupSize(String, usize),
    /// Routers form a loop.
    Loop(Loop),
    /// There is no route between sender and receiver of a flow.
    Unreachable(String, String),
}

/// A group and its members.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its stations, by index, in the order of member numbers.
    pub members: Vec<u32>,
    receive_timer: Option<ReceiveTimer>,
}

/// Addresses, groups and routes of a site.
#[derive(Debug)]
pub struct Installation {
    /// Node configurations by station.
    pub nodes: Vec<NodeConfiguration>,
    /// Groups by number.
    pub groups: Vec<Group>,
    /// Stations by subnet and node.
    by_address: Vec<u32>,
    /// Subnets by medium, for broadcasts.
    subnets_of: Vec<Vec<u8>>,
    /// Routes between the media.
    pub routes: Routes,
    /// By medium the station that most stations of it send to.
    pub sinks: Vec<Option<u32>>,
}

impl Installation {
    /// Assigns addresses and groups, and computes routes.
    pub fn new(site: &Site) -> Result<Installation, InstallationError> {
        let (addresses, subnets_of) = addresses(site)?;
        let groups = groups(site)?;
        let mut by_address = vec![NONE; (SUBNETS + 1) * (NODES_PER_SUBNET + 1)];
        for (station, address) in addresses.iter().enumerate() {
            by_address[slot(*address)] = station as u32;
        }
        let routes = Routes::new(site).map_err(InstallationError::Loop)?;
        let nodes = nodes(site, &addresses, &groups);
        let sinks = sinks(site);
        let installation = Installation { nodes, groups, by_address, subnets_of, routes, sinks };
        installation.check_flows(site)?;
        Ok(installation)
    }

    /// The recipients of the `number`-th sender of a flow: one, or all points of a poll.
    pub fn recipients(&self, flow: &FlowSettings, number: usize) -> SmallVec<[Recipient; 1]> {
        let station = |&index: &usize| Recipient::Node(self.nodes[index].address);
        match &flow.to {
            Target::Station(index) => smallvec![station(index)],
            Target::Each(to) => smallvec![station(&to[number])],
            Target::Polled(points) => points.iter().map(station).collect(),
            Target::Group(members) => smallvec![self.group(members.clone())],
            Target::GroupOfTwo(to) => smallvec![self.group(vec![flow.from[number], to[number]])],
            Target::Broadcast => smallvec![Recipient::Broadcast { subnet: 0, backlog: flow.broadcast_backlog }],
            Target::UniqueId(to) => {
                let NodeConfiguration { unique_id, address, .. } = self.nodes[to[number]];
                smallvec![Recipient::UniqueId { subnet: address.subnet, id: unique_id }]
            }
        }
    }

    /// Number of receivers of a message to `recipient`.
    pub fn receivers(&self, recipient: &Recipient, sender: u32) -> u16 {
        match *recipient {
            Recipient::Broadcast { .. } => self.nodes.len() as u16 - 1,
            Recipient::Group { group, size } => {
                size - u16::from(self.groups[usize::from(group)].members.contains(&sender))
            }
            Recipient::Node(_) | Recipient::UniqueId { .. } => 1,
        }
    }

    fn group(&self, mut members: Vec<usize>) -> Recipient {
        members.sort_unstable();
        members.dedup();
        let same = |group: &Group| group.members.iter().map(|&m| m as usize).eq(members.iter().copied());
        let number = self.groups.iter().position(same).expect("groups of all flows were made");
        Recipient::Group { group: number as u8, size: members.len() as u16 }
    }

    /// The station of an address, `NONE` if it is not assigned.
    #[inline]
    pub fn station_at(&self, address: SubnetNode) -> u32 {
        self.by_address[slot(address)]
    }

    /// Whether a configured router forwards a packet to the `port`-th of its media, by its tables.
    pub fn passes(&self, site: &Site, router: u32, port: usize, destination: &Destination) -> bool {
        let (reach, duty) = (self.routes.reach(router, port), self.routes.duty(router));
        let reached = |station: u32| {
            let on = site.stations[station as usize].on();
            // of stations on several media the one that their subnet is on counts where another router is on those as well
            let on = if duty == Duty::Alone { on } else { &on[..1] };
            on.iter().any(|&medium| reach[usize::from(medium)])
        };
        match destination {
            Destination::Broadcast { subnet: 0 } | Destination::UniqueId { .. } => duty != Duty::Second,
            Destination::Broadcast { subnet } => {
                (0..reach.len()).any(|medium| reach[medium] && self.subnets_of[medium].contains(subnet))
            }
            Destination::Group { .. } if duty == Duty::Second => false,
            Destination::Group { group } => {
                self.groups.get(usize::from(*group)).is_some_and(|group| group.members.iter().any(|&m| reached(m)))
            }
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => {
                let station = self.station_at(*node);
                station != router && station != NONE && reached(station)
            }
        }
    }

    fn check_flows(&self, site: &Site) -> Result<(), InstallationError> {
        let connected = routes::connected(site);
        for flow in &site.flows {
            for (number, &from) in flow.from.iter().enumerate() {
                let reachable = |&to: &usize| to == from || connected[home(site, from)] == connected[home(site, to)];
                let to = match &flow.to {
                    Target::Station(to) => vec![*to],
                    Target::Each(to) | Target::UniqueId(to) | Target::GroupOfTwo(to) => vec![to[number]],
                    Target::Group(to) | Target::Polled(to) => to.clone(),
                    Target::Broadcast => vec![],
                };
                if let Some(&to) = to.iter().find(|to| !reachable(to)) {
                    let name = site.stations[to].name();
                    return Err(InstallationError::Unreachable(flow.name.clone(), name));
                }
            }
        }
        Ok(())
    }
}

/// The first medium of a station.
fn home(site: &Site, station: usize) -> usize {
    usize::from(site.stations[station].on()[0])
}

/// By medium the station that most stations of it send to, if any does.
fn sinks(site: &Site) -> Vec<Option<u32>> {
    let mut senders = vec![vec![0usize; site.stations.len()]; site.media.len()];
    for flow in &site.flows {
        for (place, &from) in flow.from.iter().enumerate() {
            let to = match &flow.to {
                Target::Station(to) => *to,
                Target::Each(to) | Target::UniqueId(to) => to[place],
                _ => continue,
            };
            let receiver = &site.stations[to];
            let shared = site.stations[from].on().iter().filter(|medium| receiver.on().contains(medium));
            shared.for_each(|&medium| senders[usize::from(medium)][to] += 1);
        }
    }
    let most = |counts: &Vec<usize>| {
        let (station, &count) = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
        (count > 0).then_some(station as u32)
    };
    senders.iter().map(most).collect()
}

fn slot(address: SubnetNode) -> usize {
    usize::from(address.subnet) * (NODES_PER_SUBNET + 1) + usize::from(address.node)
}

/// Subnets are filled medium by medium: a station's address lies in a subnet of its first medium.
fn addresses(site: &Site) -> Result<(Vec<SubnetNode>, Vec<Vec<u8>>), InstallationError> {
    let mut subnets_of = vec![Vec::new(); site.media.len()];
    let mut addresses = vec![SubnetNode::new(0, 0); site.stations.len()];
    let mut next_subnet = 1;
    for (medium, subnets) in subnets_of.iter_mut().enumerate() {
        let mut node = NODES_PER_SUBNET;
        let here =
            site.stations.iter().zip(&mut addresses).filter(|(station, _)| usize::from(station.on()[0]) == medium);
        for (_, address) in here {
            if node == NODES_PER_SUBNET {
                if next_subnet > SUBNETS {
                    return Err(InstallationError::Subnets);
                }
                subnets.push(next_subnet as u8);
                (node, next_subnet) = (0, next_subnet + 1);
            }
            node += 1;
            *address = SubnetNode::new((next_subnet - 1) as u8, node as u8);
        }
    }
    Ok((addresses, subnets_of))
}

/// One group for each set of stations that a flow addresses as a group.
fn groups(site: &Site) -> Result<Vec<Group>, InstallationError> {
    let mut numbers: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for flow in &site.flows {
        let sets: Vec<Vec<usize>> = match &flow.to {
            Target::Group(members) => vec![members.clone()],
            Target::GroupOfTwo(to) => flow.from.iter().zip(to).map(|(&from, &to)| vec![from, to]).collect(),
            _ => continue,
        };
        for set in sets {
            let mut members: Vec<u32> = set.iter().map(|&m| m as u32).collect();
            members.sort_unstable();
            members.dedup();
            let answered = matches!(flow.service, ServiceKind::Acknowledged | ServiceKind::Request);
            if answered && members.len() > 64 {
                return Err(InstallationError::GroupSize(flow.name.clone(), members.len()));
            }
            let number = *numbers.entry(members.clone()).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Group { members, receive_timer: flow.receive_timer });
            }
            groups[number].receive_timer = groups[number].receive_timer.max(flow.receive_timer);
        }
    }
    if groups.len() > GROUPS { Err(InstallationError::Groups) } else { Ok(groups) }
}

fn nodes(site: &Site, addresses: &[SubnetNode], groups: &[Group]) -> Vec<NodeConfiguration> {
    let mut timers: Vec<ReceiveTimer> = site.stations.iter().map(|station| station.class.receive_timer).collect();
    for flow in &site.flows {
        let to: &[usize] = match &flow.to {
            Target::Station(to) => &[*to],
            Target::Each(to) | Target::Polled(to) => to,
            _ => continue,
        };
        for &to in to {
            timers[to] = timers[to].max(flow.receive_timer.unwrap_or(timers[to]));
        }
    }
    let mut memberships = vec![Vec::new(); site.stations.len()];
    for (number, group) in groups.iter().enumerate() {
        for (member, &station) in group.members.iter().enumerate() {
            let (group_number, member) = (number as u8, member.min(63) as u8);
            let membership = Membership {
                group: group_number,
                member,
                receive_timer: group.receive_timer.unwrap_or(site.stations[station as usize].class.receive_timer),
            };
            memberships[station as usize].push(membership);
        }
    }
    let mut shared: BTreeMap<(u16, ReceiveTimer), Arc<Settings>> = BTreeMap::new();
    let stations = site.stations.iter().zip(addresses).zip(timers).zip(memberships).enumerate();
    let nodes = stations.map(|(index, (((station, &address), timer), groups))| {
        let settings = shared.entry((station.class.receive_records, timer)).or_insert_with(|| {
            Arc::new(Settings {
                domain: site.domain,
                receive_timer: timer,
                receive_records: station.class.receive_records,
                transaction_timer_scale: site.timer_scale,
                transaction_timer_starts: site.timer_starts,
                withdraw: site.withdraw,
                ..Settings::default()
            })
        });
        let mut node = NodeConfiguration::new(address, Arc::clone(settings));
        node.unique_id[2..].copy_from_slice(&(index as u32 + 1).to_be_bytes());
        node.groups = groups.into_boxed_slice();
        node
    });
    nodes.collect()
}
