//! Infers which stations do not hear each other.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::bit_rate::SLACK;
use super::bursts::Burst;
use super::write::Writer;

/// A transmission that begins this long after another has, s, was not kept off by it: its station does not hear the other.
const UNHEARD_AFTER: f64 = 0.06;
/// Transmissions that began while another station transmitted, from which it is taken to be hidden.
const FEWEST_UNHEARD: usize = 2;
/// Their share of those that there would be by chance, from which it is.
const UNHEARD: f64 = 0.02;
/// Transmissions by chance from which it shows that a station hears another.
const ENOUGH: f64 = 5.0;

/// A station, and one that it may hear.
type Pair = (Callsign, Callsign);

/// What transmissions show.
#[derive(Debug, Default)]
struct Overlaps {
    /// Transmissions that began while another station transmitted.
    seen: BTreeMap<Pair, usize>,
    /// Transmissions of each station.
    counts: BTreeMap<Callsign, f64>,
    /// Time in which it would be seen that another station's transmission was not kept off by one of it, s.
    exposed: BTreeMap<Callsign, f64>,
}

impl Overlaps {
    fn add(&mut self, bursts: &[Burst], txdelay: f64) {
        for burst in bursts {
            *self.counts.entry(burst.transmitter).or_default() += 1.0;
            let exposed = (burst.end - burst.start + txdelay - UNHEARD_AFTER).max(0.0);
            *self.exposed.entry(burst.transmitter).or_default() += exposed;
        }
        let mut ends: BTreeMap<Callsign, f64> = BTreeMap::new();
        for pair in bursts.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            let (first, second) = if before.start <= after.start { (before, after) } else { (after, before) };
            let overlap = second.start - txdelay < first.end && second.start - first.start > UNHEARD_AFTER;
            // a frame of the other station may end between two frames of one transmission
            let continues = ends.get(&second.transmitter).is_some_and(|end| second.start - end <= 2.0 * SLACK);
            if overlap && !continues && before.transmitter != after.transmitter {
                *self.seen.entry((second.transmitter, first.transmitter)).or_default() += 1;
            }
            ends.insert(before.transmitter, before.end);
        }
    }

    /// How often a station would begin while another transmits if it did not hear that, in `seconds`.
    fn by_chance(&self, (from, to): Pair, seconds: f64) -> f64 {
        let of = |all: &BTreeMap<Callsign, f64>, station| all.get(&station).copied().unwrap_or(0.0);
        of(&self.counts, from) * of(&self.exposed, to) / seconds.max(1.0)
    }

    /// Whether a station does not hear another; `None` if that does not show.
    fn is_hidden(&self, pair: Pair, seconds: f64) -> Option<bool> {
        let (seen, by_chance) = (self.seen.get(&pair).copied().unwrap_or(0), self.by_chance(pair, seconds));
        match seen >= FEWEST_UNHEARD && seen as f64 >= UNHEARD * by_chance {
            true => Some(true),
            false => (by_chance >= ENOUGH).then_some(false),
        }
    }
}

impl Writer<'_> {
    /// The stations that each does not hear: those two or more hops away on a digipeater's path, those during whose transmissions
    /// it began its own, and, where that is so of most, the stations that do not show it.
    pub fn hidden(&self) -> BTreeMap<Callsign, BTreeSet<Callsign>> {
        let (apart, near) = self.paths();
        let mut overlaps = Overlaps::default();
        for (number, medium) in self.media {
            overlaps.add(&medium.bursts, self.access[number].txdelay());
        }
        let seconds = self.frames.seconds();
        let shows = |pair: &Pair| match apart.contains(pair) {
            true => Some(true),
            false => overlaps.is_hidden(*pair, seconds),
        };
        let pairs = self.pairs().into_iter().filter(|pair| !near.contains(pair));
        let pairs: Vec<(Pair, Option<bool>)> = pairs.map(|pair| (pair, shows(&pair))).collect();
        let count = |hidden: bool| pairs.iter().filter(|(_, shows)| *shows == Some(hidden)).count();
        let are_most = count(true) > count(false);
        let mut hidden: BTreeMap<Callsign, BTreeSet<Callsign>> = BTreeMap::new();
        for ((from, to), _) in pairs.into_iter().filter(|(_, shows)| shows.unwrap_or(are_most)) {
            hidden.entry(from).or_default().insert(to);
        }
        hidden
    }

    /// The pairs of stations that share a medium.
    fn pairs(&self) -> Vec<Pair> {
        let all = &self.stations.all;
        let others = |from: &Callsign| {
            let media = &all[from].media;
            let shares = move |to: &Callsign| to != from && all[to].media.intersection(media).next().is_some();
            all.keys().filter(|to| shares(to)).map(|to| (*from, *to)).collect::<Vec<_>>()
        };
        all.keys().flat_map(others).collect()
    }

    /// Pairs two or more hops away on a digipeater's path, and those next to each other.
    fn paths(&self) -> (BTreeSet<Pair>, BTreeSet<Pair>) {
        let (mut apart, mut near) = (BTreeSet::new(), BTreeSet::new());
        for link in self.links.values() {
            let Some(initiator) = link.initiator else { continue };
            let path = &self.frames.paths[link.path as usize];
            let digipeaters = if self.stations.switch_of(path).is_some() { &[] } else { &path[..] };
            let ends = [initiator, link.other(initiator)].map(|end| self.stations.behind(link.ends.0, end));
            let hops: Vec<Callsign> = [&ends[..1], digipeaters, &ends[1..]].concat();
            for (place, from) in hops.iter().enumerate() {
                for (other, to) in hops.iter().enumerate().filter(|(_, to)| *to != from) {
                    if place.abs_diff(other) == 1 {
                        near.insert((*from, *to))
                    } else {
                        apart.insert((*from, *to))
                    };
                }
            }
        }
        for flow in self.conversations.flows.iter().filter(|flow| flow.to.is_some()) {
            let hops: Vec<Callsign> = [&[flow.from], &flow.path[..], &[flow.named]].concat();
            near.extend(hops.windows(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]));
        }
        (apart, near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TXDELAY: f64 = 0.2;

    fn station(name: &str) -> Callsign {
        Callsign::new(name, 1).expect("an SSID")
    }

    /// A transmission of a station, from start to end, s.
    fn burst(name: &str, start: f64, end: f64) -> Burst {
        Burst { transmitter: station(name), first: 0, last: 0, frames: 1, start, end, overlapped: false }
    }

    fn seen(bursts: &[Burst]) -> Vec<usize> {
        let mut overlaps = Overlaps::default();
        overlaps.add(bursts, TXDELAY);
        overlaps.seen.into_values().collect()
    }

    #[test]
    fn a_station_that_begins_while_another_transmits_does_not_hear_it() {
        assert_eq!(seen(&[burst("A", 0.0, 1.0), burst("B", 0.5, 1.5)]), [1]);
        assert_eq!(seen(&[burst("A", 0.0, 1.0), burst("B", 1.1, 1.5)]), [1], "its key-up began before");
        assert_eq!(seen(&[burst("A", 0.0, 1.0), burst("B", 1.3, 1.5)]), [0; 0]);
        assert_eq!(seen(&[burst("A", 0.0, 1.0), burst("B", 0.03, 1.5)]), [0; 0], "both began in one slot");
    }

    #[test]
    fn the_next_frame_of_a_transmission_does_not_begin_one() {
        let collided = [burst("A", 0.0, 1.0), burst("B", 0.01, 1.2), burst("A", 1.0, 2.0)];
        assert_eq!(seen(&collided), [0; 0]);
    }

    #[test]
    fn few_transmissions_do_not_show_whether_a_station_hears_another() {
        let mut overlaps = Overlaps::default();
        let apart = |start: f64| [burst("A", start, start + 1.0), burst("B", start + 2.0, start + 3.0)];
        let all: Vec<Burst> = (0..100).flat_map(|number| apart(10.0 * f64::from(number))).collect();
        overlaps.add(&all, TXDELAY);
        let pair = (station("A"), station("B"));
        assert_eq!(overlaps.is_hidden(pair, 1000.0), Some(false));
        assert_eq!(overlaps.is_hidden(pair, 100_000.0), None);
    }
}
