//! T1 of each station: as XID states it, from silences before what it sent again, or from those of other stations.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::super::document::span;
use super::access::{TXTAIL, in_ticks};
use super::links::{Link, Side};
use super::quantile::quantile;
use super::stations::Role;
use super::write::Writer;

/// Silences below which an idle link was polled for another reason; longer ones are not of T1, s.
pub(super) const SHORTEST_CHECK: f64 = 60.0;
/// Silences from which the shortest have waited for no slot.
const MANY: usize = 10;
/// Silences that differ by less are the same, s.
const NARROW: f64 = 0.012;
/// Share of them that are the same, and how many, from which a silence is common.
const COMMON: f64 = 0.05;
const FEWEST_COMMON: usize = 3;
/// The shortest silences are determined to this where there is no slot in them, s.
const UNCERTAIN: f64 = 4e-3;
/// T1 of stations that differ by less are the same.
const ALIKE: f64 = 0.08;

/// T1, and where it is from.
#[derive(Clone, Debug)]
pub(super) struct T1 {
    pub seconds: f64,
    pub source: Source,
}

/// Where T1 is from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// XID.
    Stated,
    /// Silences before what the station sent again, in words; whether they are many.
    Silences { about: String, are_many: bool },
    /// Other stations; its own silences are a little different.
    Alike(String),
    /// Other stations; it has none of its own.
    Others(usize),
}

impl Writer<'_> {
    /// T1 of the stations that have links, as far as it shows.
    pub fn timeouts(&self) -> BTreeMap<Callsign, T1> {
        let with_links = self.stations.all.iter().filter(|(_, station)| station.role != Role::Digipeater);
        let all: Vec<(Callsign, Role)> = with_links.map(|(callsign, station)| (*callsign, station.role)).collect();
        let own: BTreeMap<Callsign, T1> =
            all.iter().filter_map(|(callsign, _)| Some((*callsign, self.own_timeout(*callsign)?))).collect();
        let is_sure = |t1: &&T1| matches!(t1.source, Source::Stated | Source::Silences { are_many: true, .. });
        let sure: Vec<f64> = own.values().filter(is_sure).map(|t1| t1.seconds).collect();
        let of_role = |role: Role| {
            let same = all.iter().filter(|(_, other)| *other == role).filter_map(|(callsign, _)| own.get(callsign));
            usual(same.filter(is_sure).map(|t1| longest_alike(&sure, t1.seconds)).collect())
        };
        let of_all = usual(sure.iter().map(|seconds| longest_alike(&sure, *seconds)).collect());
        let timeout = |(callsign, role): &(Callsign, Role)| match own.get(callsign) {
            Some(T1 { seconds, source: Source::Silences { about, .. } })
                if longest_alike(&sure, *seconds) != *seconds =>
            {
                let seconds = longest_alike(&sure, *seconds);
                Some((*callsign, T1 { seconds, source: Source::Alike(about.clone()) }))
            }
            Some(own) => Some((*callsign, own.clone())),
            None if self.links_of(*callsign).is_empty() => None,
            None => {
                let peer = self.peer(*callsign).and_then(|peer| own.get(&peer)).filter(is_sure);
                let of_peer = peer.map(|t1| (longest_alike(&sure, t1.seconds), 1));
                let (seconds, stations) = of_peer.or_else(|| of_role(*role)).or(of_all)?;
                Some((*callsign, T1 { seconds, source: Source::Others(stations) }))
            }
        };
        all.iter().filter_map(timeout).collect()
    }

    /// The other end of the probe's conversation.
    fn peer(&self, callsign: Callsign) -> Option<Callsign> {
        let ends = self.conversations.probe.as_ref().map(|probe| (probe.from, probe.to))?;
        match callsign {
            from if from == ends.0 => Some(ends.1),
            to if to == ends.1 => Some(ends.0),
            _ => None,
        }
    }

    /// What a station's own frames show.
    fn own_timeout(&self, callsign: Callsign) -> Option<T1> {
        let links = self.links_of(callsign);
        // the longer one of both ends holds (AX.25 v2.2, 6.3.2)
        let stated = links.iter().filter_map(|(link, _)| self.frames.stated_t1_ms.get(&link.ends)).max();
        if let Some(t1_ms) = stated.filter(|t1_ms| **t1_ms > 0) {
            return Some(T1 { seconds: f64::from(*t1_ms) / 1e3, source: Source::Stated });
        }
        let most = |timeouts: fn(&Side) -> &Vec<f64>| {
            let silences = |(link, own): &(&Link, Callsign)| -> Vec<f64> {
                timeouts(link.side(*own)).iter().copied().filter(|silence| *silence < SHORTEST_CHECK).collect()
            };
            let best = links.iter().map(|of| (of, silences(of))).max_by_key(|(_, silences)| silences.len());
            best.filter(|(_, silences)| !silences.is_empty())
        };
        // what others send makes a silence longer, if it keeps the channel busy in the end
        let of_medium = most(|side| &side.timeouts);
        let ((link, own), mut silences) = of_medium.or_else(|| most(|side| &side.timeouts_among_others))?;
        let are_many = silences.len() >= MANY;
        let silence = match are_many {
            true => first_common(&mut silences),
            false => quantile(&mut silences, 0.0).unwrap_or(0.0),
        };
        // a switch that sends for a user counts no digipeaters
        let is_own = self.stations.behind(link.ends.0, *own) == *own;
        let digipeaters = if is_own { self.frames.paths[link.path as usize].len() } else { 0 };
        let less = self.access[&link.ends.0].txdelay() + TXTAIL;
        let seconds = in_ticks((silence - less) / (2 * digipeaters + 1) as f64, UNCERTAIN).clamp(1e-3, 3600.0);
        let about = format!(
            "The {} of {} silences before a frame was sent again or a poll, {}, less TXDELAY and TXTAIL{}; {}.",
            if are_many { "first common one" } else { "shortest" },
            silences.len(),
            span(silence),
            if digipeaters > 0 { format!(", over 2 x {digipeaters} + 1 for the digipeaters") } else { String::new() },
            if are_many { "determined to about a slot" } else { "rough, it may include slots" },
        );
        Some(T1 { seconds, source: Source::Silences { about, are_many } })
    }
}

/// The longest of `sure` values that is like `seconds`; `seconds` if none is. T1 may have begun before the frame that a silence is
/// counted from, so that what many silences have in common may be too short, but not too long.
fn longest_alike(sure: &[f64], seconds: f64) -> f64 {
    let is_alike = |other: &&f64| (**other - seconds).abs() <= ALIKE * seconds;
    sure.iter().filter(is_alike).copied().reduce(f64::max).unwrap_or(seconds)
}

/// The most frequent value, and how often it is there.
fn usual(values: Vec<f64>) -> Option<(f64, usize)> {
    let count = |value: f64| values.iter().filter(|other| **other == value).count();
    values.iter().map(|value| (*value, count(*value))).max_by_key(|(_, count)| *count)
}

/// The shortest of the values that several have in common, for the silence of one timeout among those of several.
fn first_common(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let within = |from: usize| values[from..].partition_point(|value| *value <= values[from] + NARROW);
    let enough = FEWEST_COMMON.max((COMMON * values.len() as f64) as usize);
    let first = (0..values.len()).find(|from| within(*from) >= enough).unwrap_or(0);
    values.get(first + within(first) / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_common_silence_is_that_of_one_timeout() {
        let mut silences = vec![3.171, 2.1, 3.12, 3.121, 2.4, 3.12, 3.111, 3.17, 13.12, 13.12, 13.121, 13.122];
        assert!((first_common(&mut silences) - 3.12).abs() < 1e-12);
    }

    #[test]
    fn timers_that_differ_little_are_the_same_and_others_are_not() {
        let sure = [2.9, 3.0, 5.0];
        assert_eq!([2.8, 2.9, 3.0, 4.0, 5.0].map(|seconds| longest_alike(&sure, seconds)), [3.0, 3.0, 3.0, 4.0, 5.0]);
        assert_eq!(usual(vec![3.0, 5.0, 3.0]), Some((3.0, 2)));
    }
}
