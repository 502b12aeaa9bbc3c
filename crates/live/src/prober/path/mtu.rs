//! The path MTU, as requests of several sizes show it: small ones are answered, large ones vanish.

use std::collections::BTreeMap;

use sojourn_metrics::record::Observation;
use sojourn_metrics::results::{PathFinding, Setting};

use super::finding;
use crate::prober::measured::Measured;
use crate::target::Target;

/// Headers before the user data of a request, of IPv4 or IPv6 and of UDP or ICMP.
const HEADERS: [u32; 2] = [20 + 8, 40 + 8];
/// Schemes whose requests are one datagram each.
const DATAGRAMS: [&str; 4] = ["sojourn", "stamp", "udp-echo", "icmp"];

/// A size of requests, and whether any was answered.
pub type Answered = (u32, bool);

/// Whether the sizes that were measured of a peer were answered.
pub fn of_sizes<'a>(points: impl Iterator<Item = (&'a BTreeMap<String, Setting>, &'a Measured)>) -> Vec<Answered> {
    let mut sizes = Vec::new();
    for (set, measured) in points {
        for experiment in &measured.experiments {
            let size = experiment.set.get("probe.size").or_else(|| set.get("probe.size"));
            let octets = match size {
                Some(Setting::Integer(octets)) => u32::try_from(*octets).ok(),
                Some(Setting::Number(octets)) => Some(*octets as u32),
                _ => None,
            };
            let counts = experiment.records.iter().filter_map(|record| match record.metrics.get("response_time") {
                Some(Observation::Distribution(responses)) => Some(responses.count()),
                _ => None,
            });
            sizes.extend(octets.map(|octets| (octets, counts.sum::<u64>() > 0)));
        }
    }
    sizes
}

/// The path MTU to a target, where datagrams above a size vanish.
pub fn find(target: &Target, sizes: &[Answered]) -> Option<PathFinding> {
    if !DATAGRAMS.contains(&target.scheme()) {
        return None;
    }
    // the address that a measurement takes
    let addresses = target.addresses().ok()?;
    between(sizes, HEADERS[usize::from(addresses.first()?.is_ipv6())])
}

/// Between which lengths of IP packets the MTU is: all sizes up to one were answered, and none above.
fn between(sizes: &[Answered], headers: u32) -> Option<PathFinding> {
    let passed = sizes.iter().filter(|(_, is_answered)| *is_answered).map(|(octets, _)| *octets).max()?;
    let vanished = sizes.iter().filter(|(_, is_answered)| !is_answered).map(|(octets, _)| *octets).min()?;
    (passed < vanished).then(|| {
        let [least, most] = [passed + headers, vanished + headers - 1];
        let text = format!(
            "path MTU between {least} and {most} B: requests of {passed} B are answered, and those of {vanished} B vanish"
        );
        let values = [("least", least), ("most", most)];
        let values = values.map(|(name, octets)| (name.to_owned(), Setting::Integer(octets.into())));
        PathFinding { values: values.into(), ..finding("mtu", None, text) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str, sizes: &[Answered]) -> Option<String> {
        let (_, target) = crate::find(url).unwrap();
        find(&target, sizes).map(|finding| finding.text)
    }

    #[test]
    fn the_mtu_is_between_the_largest_packet_that_passed_and_the_smallest_that_vanished() {
        let sizes = [(64, true), (1300, true), (1390, false), (1472, false)];
        assert_eq!(
            said("udp-echo://127.0.0.1:7", &sizes).unwrap(),
            "path MTU between 1328 and 1417 B: requests of 1300 B are answered, and those of 1390 B vanish"
        );
        assert!(said("icmp://[::1]", &sizes).unwrap().contains("between 1348 and 1437 B"));
    }

    #[test]
    fn an_absent_peer_and_one_that_answers_all_sizes_show_no_mtu() {
        for sizes in [[(64, false), (1300, false)], [(64, true), (1300, true)], [(64, false), (1300, true)]] {
            assert_eq!(said("udp-echo://127.0.0.1:7", &sizes), None);
        }
        assert_eq!(said("tcp-echo://127.0.0.1:7", &[(64, true), (1300, false)]), None);
    }
}
