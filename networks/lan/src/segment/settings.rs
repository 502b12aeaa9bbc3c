//! Settings of a wire that stations share.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ethernet_bus::{PREAMBLE, mac, plca};

/// A wire and its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentSettings {
    /// Name of the medium: names its random streams.
    pub name: String,
    /// Parameters of all MACs.
    pub mac: mac::Settings,
    /// Octets after each frame.
    pub end_delimiter: u32,
    /// Octets of an Ethernet frame beside an IP packet: header and check.
    pub header: u32,
    /// Octets that shorter packets are filled up to.
    pub minimum: u32,
    /// Its nodes.
    pub nodes: Vec<NodeSettings>,
    /// Propagation from a node to another: from node `i` to node `j` at `i * nodes + j`.
    pub propagation: Arc<[Duration]>,
    /// Whether events of the scenario may switch nodes off.
    pub changes: bool,
}

/// A station on the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSettings {
    /// Its name.
    pub name: String,
    /// The station, and the output by which it sends.
    pub station: u32,
    /// See `station`.
    pub port: u32,
    /// PLCA, where it has it.
    pub plca: Option<plca::Settings>,
}

impl SegmentSettings {
    /// Bits of a packet on the wire, from preamble to end delimiter.
    pub fn bits(&self, octets: u32) -> u32 {
        PREAMBLE + 8 * (octets.max(self.minimum) + self.header + self.end_delimiter)
    }

    /// The time of this many bits.
    pub fn time(&self, bits: u32) -> Duration {
        Duration::from_units(bits.into(), self.mac.rate)
    }

    /// Propagation from one node to another.
    pub fn between(&self, from: u32, to: u32) -> Duration {
        self.propagation[from as usize * self.nodes.len() + to as usize]
    }

    /// The parameters of node 0 of PLCA.
    pub fn leader(&self) -> Option<&plca::Settings> {
        self.nodes.iter().filter_map(|node| node.plca.as_ref()).find(|plca| plca.id == 0)
    }

    /// Whether all nodes take turns whatever happens: each has an ID of its own, silence is heard by all before an opportunity
    /// ends, and no node is switched off.
    pub fn takes_turns(&self) -> bool {
        let mut ids = [false; 255];
        let all_apart = self
            .nodes
            .iter()
            .all(|node| node.plca.as_ref().is_some_and(|plca| !std::mem::replace(&mut ids[plca.id as usize], true)));
        let Some(leader) = self.leader() else { return false };
        let longest = self.propagation.iter().copied().max().unwrap_or_default();
        // 2 x propagation, and a bit for the comparison of instants
        let hears = self.time(leader.to_timer.min(leader.beacon_timer)) > longest.times(2) + self.time(1);
        let like_leader = |node: &NodeSettings| node.plca.as_ref().is_some_and(|plca| plca.to_timer == leader.to_timer);
        all_apart && hears && !self.changes && self.nodes.iter().all(like_leader)
    }
}
