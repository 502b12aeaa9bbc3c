//! The networks there are: each with the declaration of its keys and the rules between them.

use super::{NetworkKeys, fddi, fddi_adapter, ip, lontalk, packet_radio, queue, switched_lan};
use crate::problem::Problems;
use crate::rules;
use crate::scenario::Scenario;

/// Checks that take more than one key, and values that follow from others.
pub type Rules = fn(&mut Scenario, &mut Problems);

static NETWORKS: &[(&NetworkKeys, Rules)] = &[
    (&fddi::FDDI, rules::fddi::check),
    (&fddi_adapter::FDDI_ADAPTER, rules::fddi_adapter::check),
    (&ip::IP, rules::ip::check),
    (&lontalk::LONTALK, rules::lontalk::check),
    (&packet_radio::PACKET_RADIO, rules::packet_radio::check),
    (&queue::QUEUE, rules::queue::check),
    (&switched_lan::SWITCHED_LAN, rules::switched_lan::check),
];

/// The keys of every network, in alphabetical order of its kind.
pub fn kinds() -> impl Iterator<Item = &'static NetworkKeys> + Clone {
    NETWORKS.iter().map(|(keys, _)| *keys)
}

/// A network's keys by the word of `kind = "..."`.
pub fn find(kind: &str) -> Option<&'static NetworkKeys> {
    kinds().find(|network| network.kind == kind)
}

/// Measurements of real networks that `sojourn new` shows.
static MEASUREMENTS: &[(&str, &NetworkKeys, &str)] = &[
    ("ip-measurement", &ip::IP, include_str!("ip/measurement.toml")),
    ("monitor", &ip::IP, include_str!("ip/monitor.toml")),
    ("packet-radio-measurement", &packet_radio::PACKET_RADIO, include_str!("packet_radio/measurement.toml")),
];

/// Names that `sojourn new` takes in addition to the kinds of networks.
pub fn measurements() -> impl Iterator<Item = &'static str> + Clone {
    MEASUREMENTS.iter().map(|(name, ..)| *name)
}

/// What `sojourn new NAME` shows, before its keys are explained.
pub(crate) fn template(name: &str) -> Option<(&'static NetworkKeys, &'static str)> {
    let measurement = MEASUREMENTS.iter().find(|(known, ..)| *known == name).map(|(_, keys, text)| (*keys, *text));
    measurement.or_else(|| find(name).map(|keys| (keys, keys.template)))
}

/// A network's rules by the word of `kind = "..."`.
pub(crate) fn rules_of(kind: &str) -> Option<Rules> {
    NETWORKS.iter().find(|(network, _)| network.kind == kind).map(|(_, rules)| *rules)
}
