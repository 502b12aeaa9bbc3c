//! Keys of links.

use super::{ASSUMED, SONET};
use sojourn_scenario::keys::common::{PROFILE, SPAN};
use sojourn_scenario::keys::{Bounds, Key, Kind, between, key, time};
use sojourn_scenario::quantity::Dimension;

/// Range of a link's rate.
pub const LINK_RATE: Bounds = between("1 kbit/s", "1000 Gbit/s");

/// The rate of a link, by default the cell payload of OC-3c.
pub const RATE: Key = key(
    "rate",
    Kind::Quantity(Dimension::BitRate, LINK_RATE),
    "Bits per second in each direction available to cells or frames; by default OC-3c's 155.52 Mbit/s less SONET overhead, of a shared wire 10 Mbit/s.",
)
.by("kind", &[("link", "\"149.76 Mbit/s\""), ("shared", "\"10 Mbit/s\"")], SONET);

/// Propagation delay of a link.
pub const DISTANCE: &[Key] = &[
    key(
        "length",
        Kind::Quantity(Dimension::Length, between("0 m", "100000 km")),
        "Length of each link, or of a shared wire; propagation delay 5 ns per metre.",
    )
    .default("\"10 m\"", ASSUMED),
    key("delay", time(SPAN), "Propagation delay of a link in addition to that of its length.")
        .default("\"0 s\"", ASSUMED)
        .changeable(),
];

/// Keys of `[[medium]]` apart from its name and those of packets and queues.
pub const KEYS: &[Key] = &[PROFILE, RATE, DISTANCE[0], DISTANCE[1]];
