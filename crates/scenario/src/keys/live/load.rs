//! Keys of `[[load]]`: the traffic that a measurement sends besides its requests.

use super::DESIGN;
use crate::keys::{Key, Kind, Shape, TableKeys, above, between, key, time, word};
use crate::quantity::Dimension;

/// `[[load]]`: bulk transfers that load the path of a measurement.
pub const LOAD: TableKeys = TableKeys {
    name: "load",
    shape: Shape::Many,
    keys: &[KEYS],
    help: "Traffic that loads the path between an idle phase and a recovery phase.",
};

const KEYS: &[Key] = &[
    key("name", Kind::Name, "Its name in metrics; without it transport and direction.").optional().live(),
    key(
        "transport",
        Kind::Word(&[word("tcp", "bulk data over TCP connections"), word("udp", "datagrams at `rate`")]),
        "Transport protocol.",
    )
    .default("\"tcp\"", DESIGN)
    .live(),
    key("streams", Kind::Integer(1, 1000), "Number of streams.").default("1", DESIGN).live(),
    key(
        "direction",
        Kind::Word(&[word("up", "from this host to the peer"), word("down", "from the peer to this host")]),
        "Direction of the data.",
    )
    .default("\"up\"", DESIGN)
    .live(),
    key(
        "congestion",
        Kind::Text,
        "TCP: congestion control of the sender, by its name in the system (`cubic`); without it the system's default.",
    )
    .optional()
    .live(),
    key(
        "pace",
        Kind::Quantity(Dimension::BitRate, above("0 bit/s", "400 Gbit/s")),
        "TCP: rate limit of each stream (SO_MAX_PACING_RATE).",
    )
    .optional()
    .live(),
    key(
        "rate",
        Kind::Quantity(Dimension::BitRate, above("0 bit/s", "400 Gbit/s")),
        "UDP: payload bits per second of each stream.",
    )
    .optional()
    .live(),
    key("size", Kind::Quantity(Dimension::Size, between("64 B", "65507 B")), "UDP: payload of a datagram.")
        .default("\"1400 B\"", "an Ethernet frame less the headers of UDP and IPv6")
        .live(),
    key(
        "dscp",
        Kind::Integer(0, 63),
        "Differentiated services code point of its data, in either direction, and of this host's acknowledgements.",
    )
    .default("0", DESIGN)
    .live(),
    key("start", time(between("0 s", "24 h")), "When it starts, from the start of the loaded phase.")
        .default("\"0 s\"", DESIGN)
        .live(),
    key("stop", time(above("0 s", "24 h")), "When it stops; without it at the end of the loaded phase.")
        .optional()
        .live(),
];
