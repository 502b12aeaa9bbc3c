//! The topology of stations and links, and the routes of packets.

use sojourn_core::Duration;

/// Stations, the two directions of every link, and the route of every connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// What each station is.
    pub stations: Vec<StationKind>,
    /// Directions of links: link `l` is `2 * l` from its first station to its second, `2 * l + 1` back.
    pub ports: Vec<Port>,
    /// By connection the ports of its path: the sending host's first, the one towards the receiving host last.
    ///
    /// A connection is one direction between two hosts: `connection ^ 1` is the other one, over the same links.
    pub routes: Vec<Vec<u32>>,
}

/// What a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationKind {
    /// It sends and receives, on one link.
    Host,
    /// It forwards, on any number of links.
    Switch,
    /// No station: a wire that several stations share, as the topology has it between them.
    Segment,
}

/// Which of ATM's services a connection has (ATM Forum, Traffic Management 4.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Category {
    /// UBR: as fast as the link.
    #[default]
    Unspecified,
    /// ABR: as fast as the network allows.
    Available,
}

/// One direction of a link: the output of the station `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The station that sends.
    pub from: u32,
    /// The station that receives.
    pub to: u32,
    /// Bits a second that cells or frames may use.
    pub rate: u64,
    /// From the first bit's sending to its reception.
    pub propagation: Duration,
}

impl Topology {
    /// Whether a port is a station's output to a wire that it shares.
    pub fn is_shared(&self, port: u32) -> bool {
        self.stations[self.ports[port as usize].to as usize] == StationKind::Segment
    }

    /// Whether a port is an input: from a shared wire to a station on it.
    pub fn is_input(&self, port: u32) -> bool {
        self.stations[self.ports[port as usize].from as usize] == StationKind::Segment
    }

    /// The host at which a connection begins.
    pub fn source(&self, connection: u32) -> u32 {
        self.ports[self.routes[connection as usize][0] as usize].from
    }

    /// The host at which a connection ends.
    pub fn destination(&self, connection: u32) -> u32 {
        let last = *self.routes[connection as usize].last().expect("a route has a port");
        self.ports[last as usize].to
    }
}
