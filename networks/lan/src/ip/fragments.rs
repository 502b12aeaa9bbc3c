//! Fragmentation of a datagram larger than its path MTU: by its sender, to the least MTU on the path (RFC 791; the
//! result of path MTU discovery).

use sojourn_core::{Duration, Time};

use crate::frame::Frame;

/// Octets of an IP header without options, which every fragment has.
const HEADER: u32 = 20;

/// A datagram of which not all fragments have arrived.
#[derive(Clone, Copy, Debug)]
pub struct Fragmented {
    /// The datagram, by its number in the fabric.
    pub frame: Frame,
    /// Fragments still in flight.
    pub missing: u32,
    /// When the first bit of the first fragment left the sender, and that of the last one.
    pub left: Option<(Time, Time)>,
    /// The port where a fragment was lost.
    pub lost_at: Option<u32>,
    /// What the last fragment has spent on shared wires.
    pub shared: [Duration; 2],
}

/// Octets of the packets in which a datagram of `octets` octets goes through links of `mtu` octets, in order.
///
/// All fragments but the last carry a multiple of 8 octets.
pub fn fragments(octets: u32, mtu: u32) -> impl Iterator<Item = u32> + Clone {
    // the fragment offset counts units of 8 octets (RFC 791, 3.1)
    let most = if octets <= mtu { octets.max(HEADER) - HEADER } else { (mtu - HEADER) / 8 * 8 };
    let data = octets.saturating_sub(HEADER);
    let count = if octets <= mtu { 1 } else { data.div_ceil(most) };
    (0..count).map(move |place| if octets <= mtu { octets } else { HEADER + most.min(data - place * most) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(octets: u32, mtu: u32) -> Vec<u32> {
        fragments(octets, mtu).collect()
    }

    #[test]
    fn a_datagram_that_fits_stays_whole() {
        assert_eq!(cut(1500, 1500), [1500]);
        assert_eq!(cut(28, 1500), [28]);
    }

    #[test]
    fn a_longer_one_goes_in_fragments_of_multiples_of_eight_octets_each_with_a_header() {
        // 2048 octets of data in UDP over Ethernet: 2076 octets of IP
        assert_eq!(cut(2076, 1500), [1500, 596]);
        assert_eq!(cut(1501, 1500), [1500, 21]);
        assert_eq!(cut(1400, 1006), [1004, 416]);
        assert_eq!(cut(65_535, 68).len(), 1365);
    }
}
