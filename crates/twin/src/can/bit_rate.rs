//! The bit rate of a bus, from frames that follow each other at once.

use sojourn_protocols::can::frame::Length;

use super::seen::Rates;
use crate::document::LineRate;

/// Gaps that are kept.
const LIMIT: usize = 65_536;
/// Bit rates of buses (CiA 102 and 301, SAE J2284, J1939 and J2411), and of the data phase of CAN FD, bit/s.
const NOMINAL: [u64; 11] =
    [10_000, 20_000, 33_333, 50_000, 83_333, 100_000, 125_000, 250_000, 500_000, 800_000, 1_000_000];
const DATA: [u64; 5] = [1_000_000, 2_000_000, 4_000_000, 5_000_000, 8_000_000];
/// Rates that are assumed where nothing shows another: of base identifiers, of extended ones (SAE J1939-11), of data phases.
const USUAL: u64 = 500_000;
const USUAL_EXTENDED: u64 = 250_000;
const USUAL_DATA: u64 = 2_000_000;
/// Uncertainty of the time between two stamps, s.
const STAMPS: f64 = 2.5e-6;
/// Fewest frames that follow another at once, by which a rate is known.
const FEWEST: usize = 5;
/// Of frames that follow at once, a tenth as many may come too early; of others one in a hundred.
const EARLY: usize = 10;
const FEW: usize = 100;

/// A frame that followed another.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Fewest and most bits, and those that its contents have.
    bounds: [Length; 2],
    exact: Length,
    /// From the end of the frame before, s.
    seconds: f64,
}

/// Gaps between the ends of frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    gaps: Vec<Gap>,
    extended: usize,
}

/// The bit rates of a bus, and how they were found.
#[derive(Clone, Debug)]
pub(super) struct BitRate {
    pub nominal: u64,
    /// Where frames switch.
    pub data: Option<u64>,
    pub reason: String,
}

impl BitRate {
    pub fn rates(&self) -> Rates {
        Rates { nominal: self.nominal as f64, data: self.data.unwrap_or(self.nominal) as f64 }
    }
}

impl Gaps {
    /// A frame ended so long after the one before.
    pub fn add(&mut self, is_extended: bool, bounds: [Length; 2], exact: Length, seconds: f64) {
        if self.gaps.len() < LIMIT && seconds.is_finite() {
            self.extended += usize::from(is_extended);
            self.gaps.push(Gap { bounds, exact, seconds });
        }
    }

    /// The bit rates, as they are stated or as the gaps show them.
    pub fn bit_rate(&self, stated: Option<u64>, stated_data: Option<u64>) -> BitRate {
        let switches = self.gaps.iter().any(|gap| gap.exact.data > 0);
        if let Some(nominal) = stated.filter(|_| !switches || stated_data.is_some()) {
            let data = stated_data.filter(|_| switches);
            return BitRate { nominal, data, reason: "As --bit-rate states it.".to_owned() };
        }
        let all = |usual: &[u64], stated: Option<u64>| stated.map_or_else(|| usual.to_vec(), |rate| vec![rate]);
        let (nominal, data) = (all(&NOMINAL, stated), all(&DATA, stated_data));
        let mut candidates: Vec<(u64, Option<u64>)> = Vec::new();
        for &rate in &nominal {
            match switches {
                true => candidates.extend(data.iter().filter(|data| **data >= rate).map(|data| (rate, Some(*data)))),
                false => candidates.push((rate, None)),
            }
        }
        let scored: Vec<((u64, Option<u64>), Score)> =
            candidates.iter().map(|candidate| (*candidate, self.score(*candidate))).collect();
        let known = scored.iter().filter(|(_, score)| score.is_known());
        match known.max_by_key(|(_, score)| score.at_once + score.exact) {
            Some(((nominal, data), score)) => {
                let of = self.gaps.len();
                let reason = format!("{} of {of} frames follow the one before at once, at this rate.", score.at_once);
                BitRate { nominal: *nominal, data: *data, reason }
            }
            None => self.assumed(&scored, switches),
        }
    }

    /// The usual rate, or the next that no gap contradicts.
    fn assumed(&self, scored: &[((u64, Option<u64>), Score)], switches: bool) -> BitRate {
        let usual = if 2 * self.extended > self.gaps.len() { USUAL_EXTENDED } else { USUAL };
        let allowed = |(_, score): &&((u64, Option<u64>), Score)| score.early * FEW <= self.gaps.len();
        let fitting = |((nominal, data), _): &&((u64, Option<u64>), Score)| {
            *nominal >= usual && data.is_none_or(|data| data >= USUAL_DATA)
        };
        let slowest = scored.iter().find(allowed).map(|((nominal, _), _)| *nominal);
        let chosen = scored.iter().filter(allowed).find(fitting).or_else(|| scored.iter().rev().find(allowed));
        let (nominal, data) = chosen.map_or((usual, switches.then_some(USUAL_DATA)), |(rates, _)| *rates);
        let proven = match slowest {
            Some(slowest) => {
                format!("The gaps between frames prove no more than {}.", LineRate(slowest as f64).shown())
            }
            None => "The stamps contradict every usual rate.".to_owned(),
        };
        BitRate { nominal, data, reason: format!("An assumption. {proven} `--bit-rate` states it.") }
    }

    fn score(&self, (nominal, data): (u64, Option<u64>)) -> Score {
        let rates = Rates { nominal: nominal as f64, data: data.unwrap_or(nominal) as f64 };
        let mut score = Score::default();
        for Gap { bounds: [least, most], exact, seconds } in &self.gaps {
            let early = *seconds < rates.whole(*least) - STAMPS;
            let near = |length: Length| libm::fabs(seconds - rates.whole(length)) <= STAMPS;
            score.early += usize::from(early);
            score.at_once += usize::from(!early && *seconds <= rates.whole(*most) + STAMPS);
            score.exact += usize::from(near(*exact));
        }
        score
    }
}

/// How the gaps fit a rate.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    /// Frames that come earlier than they can.
    early: usize,
    /// Frames that follow at once, with some number of stuff bits; and with that of their contents.
    at_once: usize,
    exact: usize,
}

impl Score {
    fn is_known(&self) -> bool {
        self.at_once >= FEWEST && self.early * EARLY <= self.at_once
    }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::can::frame::{Content, Id};

    use super::*;

    /// The gaps between frames of eight bytes; every tenth frame follows the one before without a pause.
    fn gaps(rate: f64, data: f64, brs: Option<bool>) -> Gaps {
        let mut gaps = Gaps::default();
        let bytes = [0x5a; 8];
        let content = match brs {
            None => Content::Data(&bytes[..]),
            Some(brs) => Content::Fd { data: &bytes[..], brs, esi: false },
        };
        let (id, exact) = (Id::Base(0x123), Length::exact(Id::Base(0x123), content));
        let bounds = [Length::unstuffed(id, 8, brs), Length::worst(id, 8, brs)];
        for number in 0..100 {
            let whole = Rates { nominal: rate, data }.whole(exact);
            gaps.add(false, bounds, exact, if number % 10 == 0 { whole } else { 0.005 });
        }
        gaps
    }

    #[test]
    fn frames_that_follow_at_once_show_the_rate() {
        for rate in [125_000, 250_000, 500_000, 1_000_000] {
            let found = gaps(rate as f64, rate as f64, None).bit_rate(None, None);
            assert_eq!((found.nominal, found.data), (rate, None));
            assert!(found.reason.starts_with("10 of 100 frames follow"), "{}", found.reason);
        }
    }

    #[test]
    fn frames_of_can_fd_show_both_rates() {
        let found = gaps(500_000.0, 4_000_000.0, Some(true)).bit_rate(None, None);
        assert_eq!((found.nominal, found.data), (500_000, Some(4_000_000)));
        assert_eq!(gaps(500_000.0, 2_000_000.0, Some(true)).bit_rate(Some(500_000), None).data, Some(2_000_000));
    }

    #[test]
    fn a_bus_with_long_gaps_has_a_usual_rate_as_an_assumption_and_a_stated_one_stands() {
        let mut gaps = Gaps::default();
        let length = Length { nominal: 111, data: 0 };
        (0..50).for_each(|_| gaps.add(false, [length; 2], length, 0.005));
        // 111 bits in 5 ms: 22.2 kbit/s
        let found = gaps.bit_rate(None, None);
        assert_eq!(found.nominal, USUAL);
        assert!(found.reason.contains("no more than 33333 bit/s"), "{}", found.reason);
        assert_eq!(gaps.bit_rate(Some(125_000), None).nominal, 125_000);
        assert_eq!(Gaps::default().bit_rate(None, None).nominal, USUAL);
    }
}
