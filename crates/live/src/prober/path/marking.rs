//! DSCP and ECN that the path changes, in either direction, by what the peer received and what arrived here.

use std::collections::BTreeMap;

use sojourn_metrics::results::{PathFinding, Setting};

use super::direction::Direction;
use super::finding;
use crate::io::datagrams::traffic_class::{dscp, ecn};
use crate::prober::packets::Packet;

/// Names of the values of the ECN field (RFC 3168, section 5).
const ECN: [&str; 4] = ["not-ECT", "ECT(1)", "ECT(0)", "CE"];
/// The value that marks congestion, which the path does on purpose.
const CONGESTED: u8 = 3;

/// A field of the traffic class as it left and as it arrived.
type Carried = (u8, u8);

/// A finding for each field and direction that the path changes; none where the peer does not report what it received.
///
/// A peer that reports it gives its response the class of the request as it arrived.
pub fn find(packets: &[Packet], sent_class: Option<u8>) -> Vec<PathFinding> {
    let forward = packets.iter().filter_map(|packet| Some((sent_class?, packet.far_class?)));
    let back = packets.iter().filter_map(|packet| Some((packet.far_class?, packet.received_class?)));
    let mut found = of_direction(&forward.collect::<Vec<_>>(), Direction::Forward);
    found.extend(of_direction(&back.collect::<Vec<_>>(), Direction::Return));
    found
}

fn of_direction(carried: &[Carried], direction: Direction) -> Vec<PathFinding> {
    let field = |of: fn(u8) -> u8| carried.iter().map(move |(before, after)| (of(*before), of(*after)));
    let of_dscp = changed(field(dscp)).map(|(count, (before, after))| {
        let words = [before, after].map(|value| value.to_string());
        let values = [before, after].map(|value| Setting::Integer(value.into()));
        described(("dscp", "DSCP"), direction, &words, values, (count, carried.len()))
    });
    let unmarked = field(ecn).filter(|(_, after)| *after != CONGESTED);
    let of_ecn = changed(unmarked).map(|(count, (before, after))| {
        let words = [before, after].map(|value| ECN[usize::from(value & 3)].to_owned());
        let values = words.clone().map(Setting::Word);
        described(("ecn", "ECN"), direction, &words, values, (count, carried.len()))
    });
    of_dscp.into_iter().chain(of_ecn).collect()
}

/// The most frequent change of a field, and how many packets have it.
fn changed(carried: impl Iterator<Item = Carried>) -> Option<(usize, Carried)> {
    let mut counts: BTreeMap<Carried, usize> = BTreeMap::new();
    for pair in carried.filter(|(before, after)| before != after) {
        *counts.entry(pair).or_default() += 1;
    }
    counts.into_iter().map(|(pair, count)| (count, pair)).max()
}

fn described(
    (name, field): (&str, &str),
    direction: Direction,
    [before, after]: &[String; 2],
    [from, to]: [Setting; 2],
    (count, of): (usize, usize),
) -> PathFinding {
    let text =
        format!("{field} {before} is changed to {after} {}: {count} of {of} packets that arrived", direction.phrase());
    let counted = [("packets", count), ("of", of)].map(|(name, number)| (name, Setting::Integer(number as i64)));
    let values = [("sent", from), ("received", to)].into_iter().chain(counted);
    PathFinding {
        values: values.map(|(name, value)| (name.to_owned(), value)).collect(),
        ..finding(name, Some(direction), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of requests of a class that arrive with others, and whose responses arrive with further ones.
    fn said(sent: u8, classes: &[(u8, u8)]) -> Vec<String> {
        let packet =
            |(far, back): &(u8, u8)| Packet { far_class: Some(*far), received_class: Some(*back), ..Packet::default() };
        let packets: Vec<Packet> = classes.iter().map(packet).collect();
        find(&packets, Some(sent)).into_iter().map(|finding| finding.text).collect()
    }

    const VOICE: u8 = 46 << 2;

    #[test]
    fn a_dscp_that_is_bleached_is_named_with_both_values_and_the_direction() {
        let there = "DSCP 46 is changed to 0 in the forward direction: 2 of 3 packets that arrived";
        assert_eq!(said(VOICE, &[(0, 0), (VOICE, VOICE), (0, 0)]), [there], "the peer answers with what it received");
        let back = "DSCP 46 is changed to 8 in the return direction: 1 of 2 packets that arrived";
        assert_eq!(said(VOICE, &[(VOICE, VOICE), (VOICE, 8 << 2)]), [back]);
        assert!(said(VOICE, &[(VOICE, VOICE); 3]).is_empty());
    }

    #[test]
    fn an_ecn_field_that_is_cleared_is_named_and_a_congestion_mark_is_none() {
        let there = "ECN ECT(0) is changed to not-ECT in the forward direction: 1 of 3 packets that arrived";
        assert_eq!(said(2, &[(3, 3), (0, 0), (2, 2)]), [there]);
        assert!(said(2, &[(3, 3), (2, 3), (2, 2)]).is_empty());
    }

    #[test]
    fn the_finding_has_its_numbers() {
        let packets = [Packet { far_class: Some(0), ..Packet::default() }; 2];
        let found = &find(&packets, Some(VOICE))[0];
        assert_eq!((found.finding.as_str(), found.direction.as_deref()), ("dscp", Some("forward")));
        let numbers = ["sent", "received", "packets", "of"].map(|name| found.values[name].clone());
        assert_eq!(numbers, [46, 0, 2, 2].map(Setting::Integer));
    }

    #[test]
    fn without_a_report_of_the_peer_nothing_is_said() {
        let packets = [Packet { received_class: Some(0), ..Packet::default() }];
        assert!(find(&packets, Some(VOICE)).is_empty());
        assert!(find(&[], Some(VOICE)).is_empty());
    }
}
