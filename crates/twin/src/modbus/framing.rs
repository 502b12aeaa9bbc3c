//! The bit rate of a line and the bits of its characters, from the times that frames leave for each other.
//!
//! A frame ends a silence of t3.5 and its own characters after the frame before at the earliest.

use std::collections::BTreeMap;

use sojourn_protocols::modbus::timing::Silence;

use super::line::Line;
use crate::document::span;

/// Bit rates of lines, bit/s (Modbus over Serial Line V1.02, 2.1, and what devices have beside them).
const BIT_RATES: [u64; 8] = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200];
/// The rate that every device has, and that is assumed of a line that shows nothing.
const USUAL: u64 = 19_200;
/// Bits of a character: with parity or a second stop bit, and without both.
const CHARACTERS: [u64; 2] = [11, 10];
/// Resolution of stamps, s.
const RESOLUTION: f64 = 2e-6;
/// How near a time is to that of a rate, as a share of it.
const NEAR: f64 = 0.01;
/// The same of a character's time from the lengths of answers.
const NEAR_SLOPE: f64 = 0.02;
/// Fewest times that show a habit.
const FEWEST: usize = 8;
/// Answers of a unit that differ by as many octets show how long a character takes.
const APART: usize = 8;

/// The characters of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Framing {
    pub bit_rate: u64,
    pub bits: u64,
    /// How they were inferred.
    pub reason: String,
}

/// Times that a line shows, ascending: by octets of a frame, those from the frame before to its end, s.
struct Shown {
    requests: BTreeMap<usize, Vec<f64>>,
    /// By unit.
    answers: BTreeMap<u8, BTreeMap<usize, Vec<f64>>>,
}

impl Framing {
    /// That of a line; `stated` is the bit rate where the user knows it.
    pub fn of(line: &Line, stated: Option<u64>) -> Framing {
        let shown = Shown::of(line);
        if let Some(bit_rate) = stated {
            let bits = CHARACTERS.into_iter().find(|bits| shown.allow(bit_rate, *bits)).unwrap_or(CHARACTERS[0]);
            let reason = format!(
                "As --bit-rate states it; of characters of 11 or 10 bits the longest that no gap contradicts, {bits}."
            );
            return Framing { bit_rate, bits, reason };
        }
        shown.at_once().or_else(|| shown.slope()).unwrap_or_else(|| shown.slowest())
    }

    /// Times of the line.
    pub fn silence(&self) -> Silence {
        Silence::of(self.bit_rate, self.bits)
    }

    /// From the end of a frame to that of the next, which follows at once, s.
    pub fn followed(&self, octets: usize) -> f64 {
        followed(self.bit_rate, self.bits, octets)
    }
}

fn followed(bit_rate: u64, bits: u64, octets: usize) -> f64 {
    let silence = Silence::of(bit_rate, bits);
    silence.t35.seconds() + octets as f64 * silence.character.seconds()
}

/// Rates and characters, the slowest first.
fn candidates() -> impl Iterator<Item = (u64, u64)> {
    BIT_RATES.into_iter().flat_map(|rate| CHARACTERS.map(|bits| (rate, bits)))
}

/// The value that a share of them are below.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get((share * sorted.len().saturating_sub(1) as f64) as usize).copied()
}

impl Shown {
    fn of(line: &Line) -> Shown {
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let requests = line.turnarounds.iter().map(|(octets, gaps)| (*octets, sorted(gaps.values()))).collect();
        let mut answers: BTreeMap<u8, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
        for (key, poll) in &line.polls {
            let Some(shape) = key.shape() else { continue };
            let of_unit = answers.entry(key.unit).or_default().entry(shape.response).or_default();
            of_unit.extend_from_slice(poll.responses.values());
        }
        for times in answers.values_mut().flat_map(BTreeMap::values_mut) {
            times.sort_by(f64::total_cmp);
        }
        Shown { requests, answers }
    }

    /// Whether no gap is too short: all but one of a hundred, whose stamps may be wrong.
    fn allow(&self, bit_rate: u64, bits: u64) -> bool {
        let gaps = self.requests.iter().chain(self.answers.values().flatten());
        let mut least = gaps.filter_map(|(octets, times)| Some((octets, at(times, 0.01)?)));
        least.all(|(octets, gap)| gap * (1.0 + NEAR) + RESOLUTION >= followed(bit_rate, bits, *octets))
    }

    /// The rate at which a client that sends at once leaves exactly t3.5.
    fn at_once(&self) -> Option<Framing> {
        let (octets, times) = self.requests.iter().max_by_key(|(_, times)| times.len())?;
        let (least, usual) = (at(times, 0.05)?, at(times, 0.25)?);
        let is_habit = times.len() >= FEWEST && usual - least <= NEAR * usual + RESOLUTION;
        let distance = |rate, bits| libm::fabs(followed(rate, bits, *octets) - usual);
        let is_near = |(rate, bits): &(u64, u64)| distance(*rate, *bits) <= NEAR * usual + RESOLUTION;
        let fitting = candidates().filter(|_| is_habit).filter(is_near).filter(|(rate, bits)| self.allow(*rate, *bits));
        let (bit_rate, bits) = fitting.min_by(|a, b| distance(a.0, a.1).total_cmp(&distance(b.0, b.1)))?;
        let reason = format!(
            "Requests of {octets} octets end {} after the answer before, at the 25th percentile of {}: t3.5 and their characters \
             of {bits} bits at this rate, and at no other common one.",
            span(usual),
            times.len()
        );
        Some(Framing { bit_rate, bits, reason })
    }

    /// The rate at which long answers of a unit end so much later than its short ones.
    fn slope(&self) -> Option<Framing> {
        let lengths = |times: &BTreeMap<usize, Vec<f64>>| {
            let mut enough = times.iter().filter(|(_, times)| times.len() >= FEWEST);
            let (short, long) = (enough.next()?, enough.next_back()?);
            let apart = long.0.checked_sub(*short.0).filter(|apart| *apart >= APART)?;
            let (of_short, of_long) = (at(short.1, 0.1)?, at(long.1, 0.1)?);
            Some((apart, (of_long - of_short) / apart as f64))
        };
        let (apart, character) = self.answers.values().filter_map(lengths).max_by_key(|(apart, _)| *apart)?;
        let distance = |(rate, bits): &(u64, u64)| libm::fabs(character * *rate as f64 / *bits as f64 - 1.0);
        let fitting = candidates().filter(|(rate, bits)| self.allow(*rate, *bits));
        let (bit_rate, bits) = fitting.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let reason = format!(
            "Of answers of one unit those that are {apart} octets longer take {} more for each, at the 10th percentile: a \
             character of {bits} bits at this rate.",
            span(character)
        );
        (distance(&(bit_rate, bits)) <= NEAR_SLOPE).then_some(Framing { bit_rate, bits, reason })
    }

    /// The slowest rate that no gap contradicts, which is no more than a bound.
    fn slowest(&self) -> Framing {
        if self.requests.is_empty() && self.answers.values().all(BTreeMap::is_empty) {
            let reason = "No frame follows another that shows it: an assumption, the rate that every device has. \
                          `--bit-rate` states it."
                .to_owned();
            return Framing { bit_rate: USUAL, bits: CHARACTERS[0], reason };
        }
        let allowed = candidates().find(|(rate, bits)| self.allow(*rate, *bits));
        let (bit_rate, bits) = allowed.unwrap_or((BIT_RATES[BIT_RATES.len() - 1], CHARACTERS[1]));
        let reason =
            "An assumption, the slowest common rate that no gap between frames contradicts: what else is in the gaps \
                      is the client's pause and the servers' delay. `--bit-rate` states it."
                .to_owned();
        Framing { bit_rate, bits, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaps before requests of eight octets, s, and answers of one unit by their octets.
    fn shown(gaps: &[f64], answers: &[(usize, f64)]) -> Shown {
        let repeated = |time: f64| vec![time; FEWEST];
        let requests = BTreeMap::from([(8, gaps.iter().flat_map(|gap| repeated(*gap)).collect::<Vec<f64>>())]);
        let of_unit = answers.iter().map(|(octets, time)| (*octets, repeated(*time))).collect();
        Shown { requests, answers: BTreeMap::from([(1, of_unit)]) }
    }

    #[test]
    fn a_client_that_sends_at_once_shows_rate_and_characters() {
        // 3.5 and 8 characters of 11 bits at 9600 bit/s; of 10 bits; 1.75 ms and 8 characters at 115 200 bit/s
        for (gap, expected) in [(13.177e-3, (9600, 11)), (11.979e-3, (9600, 10)), (2.5139e-3, (115_200, 11))] {
            let found = shown(&[gap, 0.7], &[]).at_once().unwrap();
            assert_eq!((found.bit_rate, found.bits), expected, "{}", found.reason);
        }
        assert_eq!(shown(&[0.1], &[]).at_once(), None, "no rate fits a pause of 100 ms");
    }

    #[test]
    fn answers_of_two_lengths_show_the_time_of_a_character() {
        // 25 and 65 octets behind 5 ms and 1.75 ms at 38 400 bit/s: 286.46 us for each
        let found = shown(&[0.05], &[(25, 6.75e-3 + 7.1615e-3), (65, 6.75e-3 + 18.6198e-3)]).slope().unwrap();
        assert_eq!((found.bit_rate, found.bits), (38_400, 11));
    }

    #[test]
    fn the_slowest_rate_that_the_gaps_have_room_for_is_assumed() {
        // 11.5 characters of 11 bits take 26.4 ms at 4800 bit/s and 13.2 ms at 9600
        let found = shown(&[0.02], &[]).slowest();
        assert_eq!((found.bit_rate, found.bits), (9600, 11));
        assert_eq!(Shown { requests: BTreeMap::new(), answers: BTreeMap::new() }.slowest().bit_rate, USUAL);
    }
}
