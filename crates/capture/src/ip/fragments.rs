//! IP fragments: later fragments are assigned to the flow of the first, which alone carries the ports.

use super::header::{Fragment, Header, IpAddr, protocol};
use crate::FlowId;
use crate::open_table::OpenTable;

/// Fragmented datagrams remembered at the same time; later fragments of one that was forgotten count as a flow without ports.
pub const DATAGRAMS: usize = 4_096;

/// What the fragments of a datagram have in common (RFC 791, 3.2; RFC 8200, 4.5): the protocol only of IPv4, where that of the
/// first may be AH.
type Key = (IpAddr, IpAddr, u32, u8);

/// Flows of fragmented datagrams.
#[derive(Debug)]
pub struct Fragments {
    flows: OpenTable<Key, (FlowId, bool)>,
}

impl Default for Fragments {
    fn default() -> Self {
        Fragments { flows: OpenTable::new(DATAGRAMS) }
    }
}

impl Fragments {
    /// The first fragment of a datagram shows its flow, and whether the flow's initiator sent it.
    pub fn first(&mut self, header: &Header<'_>, fragment: Fragment, flow: FlowId, forward: bool) {
        let key = key(header, fragment);
        match self.flows.use_entry(&key) {
            Some(known) => *known = (flow, forward),
            None => drop(self.flows.insert(key, (flow, forward))),
        }
    }

    /// The flow of a later fragment.
    pub fn later(&mut self, header: &Header<'_>, fragment: Fragment) -> Option<(FlowId, bool)> {
        self.flows.use_entry(&key(header, fragment)).copied()
    }
}

fn key(header: &Header<'_>, fragment: Fragment) -> Key {
    let protocol = match header.source {
        IpAddr::V6(_) => 0,
        IpAddr::V4(_) if header.is_authenticated => protocol::AUTHENTICATION,
        IpAddr::V4(_) => header.protocol,
    };
    (header.source, header.destination, fragment.identification, protocol)
}
