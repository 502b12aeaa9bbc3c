//! Infers T1 of each station: from XID, from the silence before its retransmissions, or else from other stations.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::super::document::span;
use super::access::{TXTAIL, in_ticks};
use super::links::Link;
use super::sides::Side;
use super::stations::Role;
use super::write::Writer;
use crate::quantile::quantile;

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
/// T1 that differs by less from whole seconds is taken for them, s.
const NEAR_WHOLE: f64 = 0.15;
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
    /// Silences before what the station sent again, in words, and how much they show.
    Silences { about: String, strength: Strength },
    /// Other stations; its own silences are a little different.
    Alike(String),
    /// Other stations; it has none of its own.
    Others(usize),
}

impl T1 {
    /// Whether it is from a single silence, which may have begun before T1 did or ended later.
    fn is_doubtful(&self) -> bool {
        matches!(self.source, Source::Silences { strength: Strength::Single, .. })
    }
}

/// How much silences show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// There is one, and not of whole seconds.
    Single,
    /// They are few, or frames of other links came in between.
    Rough,
    /// Many without a frame in between.
    Sure,
}

/// What the silences of one end of a link have in common.
struct Silences<'a> {
    link: &'a Link,
    /// The end that was silent.
    own: Callsign,
    /// The shortest that several have in common, s.
    common: f64,
    count: usize,
}

impl Writer<'_> {
    /// T1 of the stations that have links, as far as it shows.
    pub fn timeouts(&self) -> BTreeMap<Callsign, T1> {
        let with_links = self.stations.all.iter().filter(|(_, station)| station.role != Role::Digipeater);
        let all: Vec<(Callsign, Role)> = with_links.map(|(callsign, station)| (*callsign, station.role)).collect();
        let own: BTreeMap<Callsign, T1> =
            all.iter().filter_map(|(callsign, _)| Some((*callsign, self.own_timeout(*callsign)?))).collect();
        let is_sure =
            |t1: &&T1| matches!(t1.source, Source::Stated | Source::Silences { strength: Strength::Sure, .. });
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
            Some(own) if !own.is_doubtful() || sure.is_empty() => Some((*callsign, own.clone())),
            _ if self.links_of(*callsign).is_empty() => None,
            _ => {
                let peer = self.peer(*callsign).and_then(|peer| own.get(&peer));
                let of_peer = peer.filter(|t1| !t1.is_doubtful());
                let of_peer = of_peer.map(|t1| (longest_alike(&sure, t1.seconds), 1));
                let (seconds, stations) = of_peer.or_else(|| of_role(*role)).or(of_all)?;
                Some((*callsign, T1 { seconds, source: Source::Others(stations) }))
            }
        };
        all.iter().filter_map(timeout).collect()
    }

    /// The other end of the probe's conversation, or of a link with a station of the same type.
    fn peer(&self, callsign: Callsign) -> Option<Callsign> {
        let of_probe = self.conversations.probe.as_ref().and_then(|probe| match callsign {
            from if from == probe.from => Some(probe.to),
            to if to == probe.to => Some(probe.from),
            _ => None,
        });
        let mut ends = self.links_of(callsign).into_iter().map(|(link, own)| link.other(own));
        of_probe.or_else(|| ends.find(|end| self.is_alike(callsign, *end)))
    }

    fn is_alike(&self, callsign: Callsign, other: Callsign) -> bool {
        let role = |of: Callsign| self.stations.all.get(&of).map(|station| station.role);
        role(other).is_some() && role(callsign) == role(other)
    }

    /// What a station's own frames show.
    fn own_timeout(&self, callsign: Callsign) -> Option<T1> {
        let links = self.links_of(callsign);
        // the longer one of both ends holds (AX.25 v2.2, 6.3.2)
        let stated = links.iter().filter_map(|(link, _)| self.frames.stated_t1_ms.get(&link.ends)).max();
        if let Some(t1_ms) = stated.filter(|t1_ms| **t1_ms > 0) {
            return Some(T1 { seconds: f64::from(*t1_ms) / 1e3, source: Source::Stated });
        }
        let of_medium = silences(&links, |side| &side.timeouts);
        let of_link = silences(&links, |side| &side.timeouts_among_others);
        // what others send makes a silence longer, if it keeps the channel busy in the end
        let is_shorter = |than: &Silences<'_>| {
            of_link.as_ref().is_some_and(|of| of.count >= MANY && of.common < than.common - NARROW)
        };
        let (found, is_alone) = match of_medium {
            Some(alone) if !is_shorter(&alone) => (alone, true),
            _ => (of_link?, false),
        };
        let Silences { link, own, common, count } = found;
        let are_many = count >= MANY;
        // a switch that sends for a user counts no digipeaters
        let is_own = self.stations.behind(link.ends.0, own) == own;
        let digipeaters = if is_own { self.frames.paths[link.path as usize].len() } else { 0 };
        let less = self.access[&link.ends.0].txdelay() + TXTAIL;
        let seconds = as_set((common - less) / (2 * digipeaters + 1) as f64).clamp(1e-3, 3600.0);
        let about = format!(
            "The {} of {} silences before a frame was sent again or a poll, {}, less TXDELAY and TXTAIL{}; {}.",
            if are_many { "first common one" } else { "shortest" },
            count,
            span(common),
            if digipeaters > 0 { format!(", over 2 x {digipeaters} + 1 for the digipeaters") } else { String::new() },
            if are_many { "determined to about a slot" } else { "rough, it may include slots" },
        );
        let strength = match count {
            1 if seconds.fract() != 0.0 => Strength::Single,
            MANY.. if is_alone => Strength::Sure,
            _ => Strength::Rough,
        };
        Some(T1 { seconds, source: Source::Silences { about, strength } })
    }
}

/// T1 as it is set: in whole seconds by TNCs (FRACK), else in steps of their clock.
fn as_set(seconds: f64) -> f64 {
    let whole = seconds.round();
    if whole >= 1.0 && (seconds - whole).abs() <= NEAR_WHOLE { whole } else { in_ticks(seconds, UNCERTAIN) }
}

/// The silences of the link that has most of them.
fn silences<'a>(links: &[(&'a Link, Callsign)], of: fn(&Side) -> &Vec<f64>) -> Option<Silences<'a>> {
    let of_link = |(link, own): &(&'a Link, Callsign)| {
        let all = of(link.side(*own)).iter().copied();
        (*link, *own, all.filter(|silence| *silence < SHORTEST_CHECK).collect::<Vec<f64>>())
    };
    let (link, own, mut all) = links.iter().map(of_link).max_by_key(|(.., silences)| silences.len())?;
    let common = if all.len() >= MANY { first_common(&mut all) } else { quantile(&mut all, 0.0)? };
    Some(Silences { link, own, common, count: all.len() })
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
    fn timers_near_whole_seconds_are_set_in_them() {
        assert_eq!([0.4, 2.86, 3.13, 3.4].map(as_set), [0.4, 3.0, 3.0, 3.4]);
    }

    #[test]
    fn timers_that_differ_little_are_the_same_and_others_are_not() {
        let sure = [2.9, 3.0, 5.0];
        assert_eq!([2.8, 2.9, 3.0, 4.0, 5.0].map(|seconds| longest_alike(&sure, seconds)), [3.0, 3.0, 3.0, 4.0, 5.0]);
        assert_eq!(usual(vec![3.0, 5.0, 3.0]), Some((3.0, 2)));
    }
}
