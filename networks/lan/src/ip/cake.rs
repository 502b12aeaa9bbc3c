//! What CAKE is configured with; the words are those of tc-cake(8).

use std::sync::Arc;

use sojourn_core::Duration;

/// Parameters of CAKE.
#[derive(Clone, Debug, PartialEq)]
pub struct CakeSettings {
    /// Rate of the shaper, bit/s; `None`: unlimited.
    pub bandwidth: Option<u64>,
    /// What the shaper counts of a packet.
    pub compensation: Compensation,
    /// How code points are assigned to tins.
    pub tins: Tins,
    /// What has a queue of its own, and what shares fairly.
    pub isolation: Isolation,
    /// Acceptable standing delay.
    pub target: Duration,
    /// About one RTT.
    pub interval: Duration,
    /// What it reads in the headers of packets.
    pub headers: Arc<Headers>,
}

/// What the headers of each connection's packets say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Their code point (DSCP).
    pub dscps: Vec<u8>,
    /// The stations that send and receive them.
    pub hosts: Vec<[u32; 2]>,
}

/// How many tins there are, and which code points they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tins {
    /// One for all.
    BestEffort,
    /// One for each of eight precedences (RFC 791).
    Precedence,
    /// Low priority, best effort and latency sensitive.
    DiffServ3,
    /// Low priority, best effort, streaming media and latency sensitive.
    DiffServ4,
    /// Eight.
    DiffServ8,
}

/// What has a queue of its own, and what shares fairly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// One queue for all.
    FlowBlind,
    /// Each source host.
    SourceHost,
    /// Each destination host.
    DestinationHost,
    /// Each pair of hosts.
    Hosts,
    /// Each flow.
    Flows,
    /// Each flow, fair between source hosts first.
    DualSourceHost,
    /// Each flow, fair between destination hosts first.
    DualDestinationHost,
    /// Each flow, fair between source hosts and between destination hosts first.
    TripleIsolate,
}

impl Isolation {
    /// Whether source and destination hosts share fairly.
    pub fn between_hosts(self) -> [bool; 2] {
        match self {
            Isolation::DualSourceHost => [true, false],
            Isolation::DualDestinationHost => [false, true],
            Isolation::TripleIsolate => [true, true],
            _ => [false, false],
        }
    }
}

/// What a shaper counts of a packet: the octets on the bottleneck behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compensation {
    /// Octets beside an IP packet; `None`: as the queue counts it (`raw`).
    pub overhead: Option<u32>,
    /// Shorter packets count this many octets (`mpu`).
    pub minimum: u32,
    /// What carries them.
    pub carrier: Carrier,
}

/// What carries packets behind the shaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// They stay as they are (`noatm`).
    Plain,
    /// Cells with 48 of 53 octets for a packet (`atm`).
    Atm,
    /// Blocks of 64 octets with one more (`ptm`).
    Ptm,
}

/// Octets of a cell, and of its payload (ITU-T I.361).
const CELL: [u32; 2] = [53, 48];
/// Octets of a packet that PTM carries with one more (64b/65b, IEEE 802.3, clause 61).
const PTM_BLOCK: u32 = 64;

impl Compensation {
    /// Octets that count for an IP packet of `octets`, of which the queue counts `counted`.
    #[inline]
    pub fn length(&self, octets: u32, counted: u32) -> u32 {
        let length = self.overhead.map_or(counted, |overhead| octets + overhead).max(self.minimum);
        let [cell, payload] = CELL;
        match self.carrier {
            Carrier::Plain => length,
            Carrier::Atm => length.div_ceil(payload) * cell,
            Carrier::Ptm => length + length.div_ceil(PTM_BLOCK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(overhead: u32, minimum: u32, carrier: Carrier, octets: u32) -> u32 {
        Compensation { overhead: Some(overhead), minimum, carrier }.length(octets, octets + 14)
    }

    #[test]
    fn a_packet_of_40_octets_with_32_of_overhead_takes_two_cells() {
        assert_eq!(length(32, 0, Carrier::Atm, 40), 2 * 53);
        assert_eq!(length(32, 0, Carrier::Atm, 16), 53);
        // PPPoE over LLC/SNAP: 1492 octets and 40 take 32 cells (tc-cake(8), pppoe-llcsnap)
        assert_eq!(length(40, 0, Carrier::Atm, 1492), 32 * 53);
    }

    #[test]
    fn ptm_takes_an_octet_more_for_every_64_or_part_of_them() {
        assert_eq!(length(30, 0, Carrier::Ptm, 34), 65);
        assert_eq!(length(30, 0, Carrier::Ptm, 35), 67);
        assert_eq!(length(30, 0, Carrier::Ptm, 1500), 1530 + 24);
    }

    #[test]
    fn short_packets_count_the_minimum_and_raw_ones_what_the_queue_counts() {
        // Ethernet with preamble and gap: 84 octets at least (tc-cake(8), ethernet)
        assert_eq!(length(38, 84, Carrier::Plain, 28), 84);
        assert_eq!(length(38, 84, Carrier::Plain, 1500), 1538);
        let raw = Compensation { overhead: None, minimum: 0, carrier: Carrier::Plain };
        assert_eq!(raw.length(1500, 1514), 1514);
    }
}
