//! The keys of an FDDI adapter on its system bus: the bus and its memory, the adapter's stages, the host's ring of
//! buffers, the fibre ring, and the traffic.

mod bus;
mod stages;
mod traffic;

use super::common::{self, PROFILE, QUESTION, RUN};
use super::{Key, Kind, NetworkKeys, Shape, TableKeys, between, key, time, word};
use crate::quantity::Dimension;

/// The performance study of the adapter.
pub(crate) const KALKUNTE: &str = "S. Kalkunte, Digital Technical Journal 3(3), 1991";
/// The bus.
pub(crate) const XMI: &str = "VAX 6000 Platform Technical User's Guide, XMI";
/// A choice of ours.
pub(crate) const ASSUMED: &str = "assumption";

const HOST: &[Key] = &[
    key("ring_entries", Kind::Integer(2, 65_536), "Entries of each of the host's rings, one buffer segment each.")
        .default("64", ASSUMED),
    key("segments", Kind::Integer(1, 2), "Segments of host memory that hold a frame, an entry each.")
        .default("1", KALKUNTE),
    key(
        "alignment",
        Kind::Word(&[
            word("hexaword", "segments begin on the bus's 32-byte lines"),
            word("quadword", "they begin within a line, at a quadword, which costs each one transaction more"),
            word("longword", "they begin within a quadword, which costs the same"),
        ]),
        "Where the segments begin.",
    )
    .default("\"hexaword\"", KALKUNTE),
];

const RING: &[Key] = &[
    key(
        "kind",
        Kind::Word(&[
            word("black-box", "frames come and go at the line's rate and never wait for a token"),
            word("token-ring", "the adapter and a peer are stations of an FDDI ring and wait for its token"),
        ]),
        "What the adapter is attached to.",
    )
    .default("\"black-box\"", KALKUNTE),
    key(
        "accounting",
        Kind::Word(&[
            word("with-overhead", "a frame counts and lasts its length and 8 bytes: preamble, delimiters and status"),
            word("frame-alone", "a frame counts and lasts its length; frames follow each other without a gap"),
        ]),
        "What a frame counts in throughput and load, and how long it lasts.",
    )
    .default("\"with-overhead\"", ASSUMED),
    key(
        "length",
        Kind::Quantity(Dimension::Length, between("0 m", "200 km")),
        "Fibre once round a token ring of two stations; 5.085 µs for each kilometre.",
    )
    .default("\"0.1 km\"", ASSUMED),
    key("station_latency", time(between("1 ns", "1 ms")), "What each station of a token ring delays what it repeats.")
        .default("\"1 µs\"", "R. Jain, SIGCOMM '90"),
];

/// All of the adapter.
pub static FDDI_ADAPTER: NetworkKeys = NetworkKeys {
    kind: "fddi-adapter",
    help: "An FDDI adapter on its system bus, stage by stage: throughput, latency, occupancy and where frames are dropped.",
    tables: &[
        TableKeys {
            name: "network",
            shape: Shape::One,
            keys: &[common::NETWORK],
            help: "The kind of network, and the profile of the adapter.",
        },
        TableKeys {
            name: "bus",
            shape: Shape::One,
            keys: &[bus::MEMORY, bus::OTHERS],
            help: "The system bus, its memory, and what other nodes do on it.",
        },
        TableKeys {
            name: "adapter",
            shape: Shape::One,
            keys: &[&[PROFILE], stages::CONTROL, stages::RING_SIDE, stages::BUFFERS, stages::HOST_SIDE],
            help: "The adapter's stages.",
        },
        TableKeys { name: "host", shape: Shape::One, keys: &[HOST], help: "The host's rings and buffers." },
        TableKeys { name: "ring", shape: Shape::One, keys: &[RING], help: "What the adapter is attached to." },
        TableKeys {
            name: "traffic",
            shape: Shape::One,
            keys: &[traffic::DIRECTION, traffic::SIZES, traffic::ARRIVALS],
            help: "Frames: direction, length, arrival process.",
        },
        RUN,
        QUESTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
};
