//! The keys of an FDDI adapter on its system bus: the bus and its memory, the adapter's stages, the host's ring of
//! buffers, the fibre ring, and the traffic.

mod bus;
pub mod event;
mod rules;
mod stages;
mod traffic;

use sojourn_scenario::keys::common::{self, OPTION, PROFILE, QUESTION, RUN};
use sojourn_scenario::keys::{
    Key, Kind, NetworkKeys, Shape, TableKeys, Whose, between, key, scaled, time, tunable, word,
};
use sojourn_scenario::quantity::Dimension;

/// The performance study of the adapter.
pub const KALKUNTE: &str = "S. Kalkunte, Digital Technical Journal 3(3), 1991";
/// The bus.
pub const XMI: &str = "VAX 6000 Platform Technical User's Guide, XMI";
/// A choice of ours.
pub const ASSUMED: &str = "assumption";

const HOST: &[Key] = &[
    key(
        "ring_entries",
        Kind::Integer(2, 65_536),
        "Entries of each descriptor ring of the host, one buffer segment each.",
    )
    .default("64", ASSUMED),
    key("segments", Kind::Integer(1, 2), "Host buffer segments per frame, one ring entry each.").default("1", KALKUNTE),
    key(
        "alignment",
        Kind::Word(&[
            word("hexaword", "segments start on 32-byte bus lines"),
            word("quadword", "segments start at a quadword within a line; one more transaction each"),
            word("longword", "segments start within a quadword; one more transaction each"),
        ]),
        "Alignment of the segments.",
    )
    .default("\"hexaword\"", KALKUNTE),
];

const RING: &[Key] = &[
    key(
        "kind",
        Kind::Word(&[
            word("black-box", "frames arrive and leave at line rate without waiting for a token"),
            word("token-ring", "adapter and one peer on an FDDI ring, which wait for the token"),
        ]),
        "Network side of the adapter.",
    )
    .default("\"black-box\"", KALKUNTE),
    key(
        "accounting",
        Kind::Word(&[
            word("with-overhead", "frame length plus 8 bytes of preamble, delimiters and status"),
            word("frame-alone", "frame length alone, without a gap between frames"),
        ]),
        "Bytes counted per frame in throughput, load and transmission time.",
    )
    .default("\"with-overhead\"", ASSUMED),
    key(
        "length",
        Kind::Quantity(Dimension::Length, between("0 m", "200 km")),
        "Circumference of a token ring of two stations; 5.085 µs/km.",
    )
    .default("\"0.1 km\"", ASSUMED),
    key("station_latency", time(between("1 ns", "1 ms")), "Latency of each station of a token ring as a repeater.")
        .default("\"1 µs\"", "R. Jain, SIGCOMM '90"),
    key(
        "bypass_time",
        time(between("0 s", "1 s")),
        "Events: how long a token ring is interrupted while the adapter is bypassed or enters; by default 25 ms, I_Max of ANSI X3.229.",
    )
    .optional(),
];

/// All of the adapter.
pub static FDDI_ADAPTER: NetworkKeys = NetworkKeys {
    kind: "fddi-adapter",
    also_called: &[],
    help: "FDDI adapter on its system bus, stage by stage: throughput, latency, utilization and frame drops.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "bus",
            shape: Shape::One,
            keys: &[bus::MEMORY, bus::OTHERS],
            help: "System bus, memory, and traffic of other nodes.",
        },
        TableKeys {
            name: "adapter",
            shape: Shape::One,
            keys: &[&[PROFILE], stages::CONTROL, stages::RING_SIDE, stages::BUFFERS, stages::HOST_SIDE],
            help: "Stages of the adapter.",
        },
        TableKeys { name: "host", shape: Shape::One, keys: &[HOST], help: "Descriptor rings and buffers of the host." },
        TableKeys { name: "ring", shape: Shape::One, keys: &[RING], help: "Network side of the adapter." },
        TableKeys {
            name: "traffic",
            shape: Shape::One,
            keys: &[traffic::DIRECTION, traffic::SIZES, traffic::ARRIVALS],
            help: "Frames: direction, length, arrival process.",
        },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("receive-buffers", "adapter", "receive_buffers", Whose::All, &[0.5, 2.0, 4.0]),
        scaled("transmit-buffers", "adapter", "transmit_buffers", Whose::All, &[2.0]),
        scaled("ring-entries", "host", "ring_entries", Whose::All, &[2.0, 4.0]),
        scaled("outstanding-reads", "adapter", "outstanding_reads", Whose::All, &[2.0, 4.0]),
        tunable("staging", "adapter", "staging", Whose::All, &["cut-through", "store-and-forward"]),
        tunable("priority", "adapter", "priority", Whose::All, &["reads-first", "writes-first", "alternate"]),
        scaled("control-queue", "adapter", "control_queue", Whose::All, &[2.0]),
    ],
    rules: rules::check,
};
