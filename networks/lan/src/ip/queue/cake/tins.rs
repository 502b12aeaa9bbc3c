//! The tins of CAKE: which code points each holds, and its share (tc-cake(8), "priority queue parameters").

use super::super::super::cake::Tins;

/// Lower effort (RFC 8622), and the old type of service with low delay or high throughput (RFC 1349).
const LE: u8 = 1;
const TOS_THROUGHPUT: u8 = 2;
const TOS_DELAY: u8 = 4;
/// Voice admitted (RFC 5865) and expedited forwarding (RFC 3246).
const VA: u8 = 44;
const EF: u8 = 46;
/// Octets per round of a tin alone.
const ALONE: u32 = 65_535;

/// What a tin may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Up to this rate, bit/s, it goes before others; none without a shaper.
    pub rate: Option<u64>,
    /// Octets per round among tins, without a shaper.
    pub quantum: u32,
}

/// The tin of a code point.
pub fn tin(tins: Tins, dscp: u8) -> u8 {
    match tins {
        Tins::BestEffort => 0,
        Tins::Precedence => dscp >> 3,
        Tins::DiffServ3 => match dscp {
            LE => 1,
            TOS_DELAY | VA | EF => 2,
            _ => match selector(dscp) {
                Some(1) => 1,
                Some(6 | 7) => 2,
                _ => 0,
            },
        },
        Tins::DiffServ4 => match (dscp, selector(dscp), assured(dscp)) {
            (LE, ..) | (_, Some(1), _) => 1,
            (VA | EF, ..) | (_, Some(4..=7), _) => 3,
            (TOS_DELAY, ..) | (_, Some(2 | 3), _) | (.., Some(2..=4)) => 2,
            _ => 0,
        },
        Tins::DiffServ8 => match (dscp, selector(dscp), assured(dscp)) {
            (LE, ..) => 0,
            (TOS_THROUGHPUT, ..) | (_, Some(1), _) | (.., Some(1)) => 1,
            (_, Some(3), _) | (.., Some(3 | 4)) => 3,
            (TOS_DELAY, ..) | (.., Some(2)) => 4,
            (_, Some(2), _) => 5,
            (VA | EF, ..) | (_, Some(4 | 5), _) => 6,
            (_, Some(6 | 7), _) => 7,
            _ => 2,
        },
    }
}

/// The class of a class selector code point (RFC 2474, 4.2.2).
fn selector(dscp: u8) -> Option<u8> {
    (dscp & 0b111 == 0).then_some(dscp >> 3)
}

/// The class of an assured forwarding code point (RFC 2597).
fn assured(dscp: u8) -> Option<u8> {
    match (dscp >> 3, dscp & 0b111) {
        (class @ 1..=4, 2 | 4 | 6) => Some(class),
        _ => None,
    }
}

/// The shares of all tins, of a shaper's rate where there is one.
pub fn shares(tins: Tins, rate: Option<u64>) -> Vec<Share> {
    let of = |parts: &[u32]| {
        parts
            .iter()
            .map(|parts| Share { rate: rate.map(|rate| rate / u64::from(*parts)), quantum: 1024 / parts })
            .collect()
    };
    match tins {
        Tins::BestEffort => vec![Share { rate, quantum: ALONE }],
        Tins::DiffServ3 => of(&[1, 16, 4]),
        Tins::DiffServ4 => of(&[1, 16, 2, 4]),
        // each seven eighths of the one below
        Tins::Precedence | Tins::DiffServ8 => {
            let next = |share: &Share| {
                Some(Share { rate: share.rate.map(|rate| rate * 7 / 8), quantum: share.quantum * 7 / 8 })
            };
            std::iter::successors(Some(Share { rate, quantum: 256 }), next).take(8).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_have_the_tins_of_the_manual() {
        let tins = |mode, dscps: &[u8]| dscps.iter().map(|dscp| tin(mode, *dscp)).collect::<Vec<_>>();
        // CS0, LE, CS1, AF11, CS2, AF21, CS3, AF31, CS4, AF41, CS5, VA, EF, CS6, CS7, TOS low delay
        let points = [0, 1, 8, 10, 16, 18, 24, 26, 32, 34, 40, 44, 46, 48, 56, 4];
        assert_eq!(tins(Tins::BestEffort, &points), [0; 16]);
        assert_eq!(tins(Tins::DiffServ3, &points), [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
        assert_eq!(tins(Tins::DiffServ4, &points), [0, 1, 1, 0, 2, 2, 2, 2, 3, 2, 3, 3, 3, 3, 3, 2]);
        assert_eq!(tins(Tins::DiffServ8, &points), [2, 0, 1, 1, 5, 4, 3, 3, 6, 3, 6, 6, 6, 7, 7, 4]);
        assert_eq!(tins(Tins::Precedence, &points), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 7, 0]);
        // code points without a meaning are best effort
        assert_eq!(tins(Tins::DiffServ4, &[3, 9, 33, 42, 63]), [0; 5]);
    }

    #[test]
    fn tins_have_the_shares_of_the_manual() {
        let rates = |mode| shares(mode, Some(16_000_000)).iter().filter_map(|share| share.rate).collect::<Vec<_>>();
        // bulk a 16th, streaming media a half, voice a quarter
        assert_eq!(rates(Tins::DiffServ4), [16_000_000, 1_000_000, 8_000_000, 4_000_000]);
        assert_eq!(rates(Tins::DiffServ3), [16_000_000, 1_000_000, 4_000_000]);
        assert_eq!(rates(Tins::DiffServ8)[..3], [16_000_000, 14_000_000, 12_250_000]);
        assert_eq!(
            shares(Tins::DiffServ4, None).iter().map(|share| share.quantum).collect::<Vec<_>>(),
            [1024, 64, 512, 256]
        );
    }
}
