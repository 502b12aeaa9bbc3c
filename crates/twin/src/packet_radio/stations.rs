//! Classifies callsigns as terminals, digipeaters, nodes or switches, and finds the callsigns under which a node or a
//! switch transmits.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_protocols::ax25::wire::{Address as Callsign, Pid};

use super::frames::{Frame, Frames, Kind};
use super::upper::Upper;

/// Sum of the SSIDs of a user on either side of a node.
const MIRROR_SSID: u8 = 15;

/// What a station does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Terminal,
    Digipeater,
    Node,
    Switch,
}

/// A station.
#[derive(Clone, Debug)]
pub(super) struct Station {
    pub role: Role,
    pub media: BTreeSet<u32>,
    /// Frames that it transmitted.
    pub frames: u64,
}

/// The stations of a capture.
#[derive(Debug, Default)]
pub(super) struct Stations {
    pub all: BTreeMap<Callsign, Station>,
    /// Who sends under a callsign on a medium that is not its own there.
    aliases: BTreeMap<(u32, Callsign), Callsign>,
    roles: BTreeMap<Callsign, Role>,
}

impl Stations {
    /// The stations that transmitted.
    pub fn new(frames: &Frames) -> Self {
        let mut stations = Stations { roles: roles(frames), ..Stations::default() };
        stations.aliases = stations.aliases_of_switches(frames);
        let of_nodes = stations.aliases_of_nodes(frames);
        stations.aliases.extend(of_nodes);
        for frame in &frames.all {
            let transmitter = stations.transmitter(frames, frame);
            let role = stations.role(transmitter);
            let station =
                stations.all.entry(transmitter).or_insert_with(|| Station { role, media: BTreeSet::new(), frames: 0 });
            station.media.insert(frame.medium);
            station.frames += 1;
        }
        stations
    }

    /// The role of a callsign.
    pub fn role(&self, callsign: Callsign) -> Role {
        self.roles.get(&callsign).copied().unwrap_or(Role::Terminal)
    }

    pub fn is_switch(&self, callsign: Callsign) -> bool {
        self.role(callsign) == Role::Switch
    }

    /// The station behind a callsign on a medium.
    pub fn behind(&self, medium: u32, callsign: Callsign) -> Callsign {
        self.aliases.get(&(medium, callsign)).copied().unwrap_or(callsign)
    }

    /// The station that transmitted this copy of a frame.
    pub fn transmitter(&self, frames: &Frames, frame: &Frame) -> Callsign {
        let path = frames.path_of(frame);
        let repeated = path.len() - usize::from(frame.hops_left);
        let last = path[..repeated].iter().rev().find(|digipeater| self.role(**digipeater) == Role::Digipeater);
        last.copied().unwrap_or_else(|| self.behind(frame.medium, frame.source))
    }

    /// The switch on a path.
    pub fn switch_of(&self, path: &[Callsign]) -> Option<Callsign> {
        path.iter().copied().find(|digipeater| self.is_switch(*digipeater))
    }

    /// A switch answers a user under the callsign of the far station, with all digipeaters marked as having repeated.
    fn aliases_of_switches(&self, frames: &Frames) -> BTreeMap<(u32, Callsign), Callsign> {
        let alias = |frame: &Frame| {
            let switch = self.switch_of(frames.path_of(frame)).filter(|_| frame.hops_left == 0)?;
            Some(((frame.medium, frame.source), switch))
        };
        frames.all.iter().filter_map(alias).collect()
    }

    /// A node connects to a station under the callsign of its user, with the SSID mirrored.
    fn aliases_of_nodes(&self, frames: &Frames) -> BTreeMap<(u32, Callsign), Callsign> {
        // the node that each user is behind: the one that it connected to, or the far end of its circuit
        let mut nodes: BTreeMap<Callsign, Callsign> = BTreeMap::new();
        for frame in &frames.all {
            let from_user = matches!(frame.kind, Kind::Information { pid: Pid::NONE, .. } | Kind::Connect { .. });
            if from_user && self.role(frame.destination) == Role::Node && self.role(frame.source) != Role::Node {
                nodes.entry(frame.source).or_insert(frame.destination);
            }
        }
        for (_, upper) in &frames.upper {
            if let Upper::CircuitRequest { destination, user, .. } = *upper {
                nodes.insert(user, destination);
            }
        }
        let mut aliases = BTreeMap::new();
        for frame in &frames.all {
            let mirrored = Callsign::new(frame.source.callsign(), MIRROR_SSID - frame.source.ssid());
            let behind = mirrored.ok().and_then(|user| nodes.get(&user));
            let taken = self.role(frame.destination) == Role::Node;
            if let (Kind::Connect { .. }, Some(&node), false) = (frame.kind, behind, taken) {
                aliases.insert((frame.medium, frame.source), node);
            }
        }
        aliases
    }
}

fn roles(frames: &Frames) -> BTreeMap<Callsign, Role> {
    let mut roles = BTreeMap::new();
    for frame in &frames.all {
        match frame.kind {
            Kind::Information { pid: Pid::NETROM, .. } => {
                roles.extend([(frame.source, Role::Node), (frame.destination, Role::Node)]);
            }
            Kind::Information { pid: Pid::X25, .. } => {
                roles.extend([(frame.source, Role::Switch), (frame.destination, Role::Switch)]);
            }
            Kind::Unnumbered { pid: Pid::NETROM, .. } => {
                roles.insert(frame.source, Role::Node);
            }
            _ => {}
        }
    }
    // a single node between two terminals shows in the mirrored SSID of its user alone
    for (user, node) in mirrored_users(frames) {
        if !roles.contains_key(&user) {
            roles.entry(node).or_insert(Role::Node);
        }
    }
    for frame in &frames.all {
        let path = frames.path_of(frame);
        if path.iter().any(|digipeater| roles.get(digipeater) == Some(&Role::Switch)) {
            continue;
        }
        for digipeater in &path[..path.len() - usize::from(frame.hops_left)] {
            roles.entry(*digipeater).or_insert(Role::Digipeater);
        }
    }
    roles
}

/// Users whose mirrored callsign connects somewhere while they have a link, and where that link ends.
fn mirrored_users(frames: &Frames) -> Vec<(Callsign, Callsign)> {
    let mut linked: BTreeMap<Callsign, Callsign> = BTreeMap::new();
    let mut found = Vec::new();
    for frame in &frames.all {
        if !matches!(frame.kind, Kind::Connect { .. }) {
            continue;
        }
        let mirrored = Callsign::new(frame.source.callsign(), MIRROR_SSID - frame.source.ssid()).ok();
        match mirrored.and_then(|user| linked.get(&user).map(|node| (user, *node))) {
            Some(behind) => found.push(behind),
            None => {
                linked.entry(frame.source).or_insert(frame.destination);
            }
        }
    }
    found
}
