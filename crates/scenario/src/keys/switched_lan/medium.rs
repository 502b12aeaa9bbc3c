//! Keys of links.

use super::super::common::{PROFILE, SPAN};
use super::super::{Bounds, Key, Kind, between, key, time};
use super::{ASSUMED, SONET};
use crate::quantity::Dimension;

/// What a link may carry.
pub const LINK_RATE: Bounds = between("1 kbit/s", "1000 Gbit/s");

/// Bits a second of an OC-3c link's cells.
pub const RATE: Key = key(
    "rate",
    Kind::Quantity(Dimension::BitRate, LINK_RATE),
    "Bits per second each way that cells or frames may use: of OC-3c's 155.52 Mbit/s those of the payload columns.",
)
.default("\"149.76 Mbit/s\"", SONET);

/// How far the ends are apart.
pub const DISTANCE: &[Key] = &[
    key("length", Kind::Quantity(Dimension::Length, between("0 m", "100000 km")), "Length of each link; 5 ns a metre.")
        .default("\"10 m\"", ASSUMED),
    key("delay", time(SPAN), "What a link delays more than its length does.").default("\"0 s\"", ASSUMED),
];

/// Keys of `[[medium]]` beside its name, its queue and what packets need.
pub const KEYS: &[Key] = &[PROFILE, RATE, DISTANCE[0], DISTANCE[1]];
