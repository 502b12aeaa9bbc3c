//! Keys of a wire that stations share: CSMA/CD and PLCA, and a station's place and ID on it.

use super::ASSUMED;
use sojourn_scenario::keys::{Key, Kind, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// The MAC of half-duplex Ethernet.
const CLAUSE_4: &str = "IEEE 802.3, clause 4";
/// Physical layer collision avoidance.
const CLAUSE_148: &str = "IEEE 802.3cg, clause 148";

const fn bits(name: &'static str, least: u64, most: u64, help: &'static str) -> Key {
    key(name, Kind::Integer(least, most), help)
}

/// Keys of `[[medium]]` that a shared wire has beside those of links.
pub const OF_MEDIUM: &[Key] = &[
    key(
        "kind",
        Kind::Word(&[
            word("link", "links of two stations each, in both directions at a time"),
            word("shared", "one wire for all stations on it, one frame at a time (half duplex)"),
        ]),
        "Packets: kind of medium.",
    )
    .default("\"link\"", ASSUMED),
    key(
        "access",
        Kind::Word(&[
            word("csma-cd", "stations sense the carrier, and back off after collisions (IEEE 802.3, clause 4)"),
            word("plca", "stations take turns after a beacon of node 0, as on 10BASE-T1S (clause 148)"),
        ]),
        "Packets: medium access on a shared wire.",
    )
    .default("\"csma-cd\"", CLAUSE_4),
    key(
        "end_delimiter",
        Kind::Quantity(Dimension::Size, between("0 B", "16 B")),
        "Packets: bytes that a shared wire carries after each frame; of 10BASE-T1S one.",
    )
    .by("access", &[("csma-cd", "\"0 B\""), ("plca", "\"1 B\"")], "IEEE 802.3, clause 147"),
    bits("attempt_limit", 1, 16, "Packets: attempts after which CSMA/CD gives a frame up (attemptLimit).").default("16", CLAUSE_4),
    key("split_gap", Kind::Flag, "Packets: whether a carrier in the last third of the interframe gap is ignored.")
        .default("true", CLAUSE_4),
    bits("node_count", 1, 255, "Packets: opportunities of a cycle that node 0 of PLCA counts (plca_node_count); by default one for each station.").optional(),
    bits("to_timer", 1, 255, "Packets: length of an unused transmit opportunity of PLCA, bit times (to_timer).").default("32", CLAUSE_148),
    bits("beacon_timer", 1, 255, "Packets: length of a beacon of PLCA, bit times (beacon_timer).").default("20", CLAUSE_148),
    bits("burst_timer", 96, 1000, "Packets: how long a node of PLCA waits for the next frame of a burst, bit times (burst_timer).").default("128", CLAUSE_148),
];

/// A station's place and ID on a shared wire.
const ON_WIRE: &[Key] = &[
    key(
        "position",
        Kind::Quantity(Dimension::Length, between("0 m", "100 km")),
        "Place along a shared wire; by default stations are evenly spaced over its length.",
    )
    .optional(),
    key(
        "position_step",
        Kind::Quantity(Dimension::Length, between("0 m", "100 km")),
        "Distance along a shared wire from one member of the station to the next; by default 1 m.",
    )
    .optional(),
    key("stub", Kind::Quantity(Dimension::Length, between("0 m", "1 km")), "Length between a shared wire and the station.")
        .default("\"0 m\"", ASSUMED),
    key(
        "plca_id",
        Kind::Integer(0, 255),
        "ID of PLCA (local_nodeID), of the first member; the others follow. 255: the station does without PLCA. By default the first that is free, in the order of stations.",
    )
    .optional(),
    key("max_bc", Kind::Integer(0, 255), "Frames beyond the first in an opportunity of PLCA (max_bc).")
        .default("0", CLAUSE_148),
    key("same_id", Kind::Flag, "Whether the members all have the ID `plca_id`, which others may have as well; two nodes of one ID are refused otherwise.")
        .default("false", ASSUMED),
];

/// Keys of `[[station]]` on a shared wire.
pub const OF_STATION: &[Key] =
    &[key("wire", Kind::Table(ON_WIRE), "Packets: place on a shared wire, and PLCA there.").default("{}", ASSUMED)];
