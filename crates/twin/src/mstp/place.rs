//! Where a message comes from or goes to: a station of the trunk, or one behind a router of it.

use sojourn_protocols::mstp::BROADCAST;

/// Octets that the addresses of a far destination and of a far source take in the scenario, where they are on an IP network:
/// network, length, address and port, and the hop count of the destination (ANSI/ASHRAE 135 clause 6.2.2).
const DESTINATION: usize = 2 + 1 + 6 + 1;
const SOURCE: usize = 2 + 1 + 6;
/// Octets that are part of every NPDU.
const SHORTEST: usize = 2;

/// A station: its address on the trunk or that of the router before it, and its network and address there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub mac: u8,
    pub far: Option<u64>,
}

impl Place {
    /// That of an address of a frame, and of its NPDU.
    pub fn of(mac: u8, far: &[u8]) -> Place {
        // network, and the first octets of the address behind its length
        let octets = far.iter().take(2).chain(far.iter().skip(3)).take(8);
        let number = octets.fold(0_u64, |number, octet| number << 8 | u64::from(*octet));
        Place { mac, far: (!far.is_empty()).then_some(number) }
    }

    /// A station of the trunk.
    pub const fn here(mac: u8) -> Place {
        Place { mac, far: None }
    }

    /// Whether it is all stations.
    pub const fn is_all(&self) -> bool {
        self.mac == BROADCAST
    }
}

/// Octets of an NPDU without the addresses that the scenario adds to it, so that its frame is as long.
pub(super) fn own_octets(npdu: usize, [destination, source]: [&[u8]; 2]) -> usize {
    let added = if destination.is_empty() { 0 } else { DESTINATION } + if source.is_empty() { 0 } else { SOURCE };
    npdu.saturating_sub(added).max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_stations_differ_by_network_and_address() {
        let [one, other] = [&[0, 5, 1, 9][..], &[0, 5, 1, 10]].map(|far| Place::of(3, far));
        assert_ne!(one, other);
        assert_eq!(one, Place { mac: 3, far: Some(0x0000_0509) });
        assert_eq!(Place::of(3, &[]), Place::here(3));
    }

    #[test]
    fn a_packet_from_a_far_station_is_as_long_with_the_address_that_the_scenario_gives_it() {
        // 22 octets, of which 9 are network, length and address of an IP network
        assert_eq!(own_octets(22, [&[], &[0, 5, 6, 10, 0, 0, 1, 0xba, 0xc0]]), 13);
        assert_eq!(own_octets(13, [&[], &[]]), 13);
    }
}
