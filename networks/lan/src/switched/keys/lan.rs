//! Keys of `[lan]`: what all links and hosts of a switched LAN share.

use super::{ASSUMED, RFC_2684, STUDY};
use sojourn_scenario::keys::Word;
use sojourn_scenario::keys::{Key, Kind, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// ATM service categories of a virtual circuit.
pub const CATEGORIES: &[Word] = &[
    word("ubr", "unspecified bit rate: cells are sent at the link rate"),
    word("abr", "available bit rate: the source sends at the allowed cell rate; its parameters are in [abr]"),
];

/// Keys of the whole LAN: framing, virtual circuits, MTU and capture.
pub const KEYS: &[Key] = &[
    key(
        "framing",
        Kind::Word(&[
            word("cells", "ATM: datagrams in AAL5 frames, segmented into cells; switches forward cells"),
            word("packets", "Ethernet: datagrams in frames; store-and-forward switches"),
        ]),
        "Framing on all links.",
    )
    .default("\"cells\"", STUDY),
    key("service", Kind::Word(CATEGORIES), "Cells: default service category of virtual circuits.")
        .default("\"ubr\"", STUDY),
    key(
        "circuits",
        Kind::Word(&[word("per-pair", "one for all flows between two hosts"), word("per-flow", "one for each flow")]),
        "Cells: how flows share virtual circuits, each bidirectional.",
    )
    .default("\"per-pair\"", ASSUMED),
    key(
        "encapsulation",
        Kind::Word(&[
            word("llc", "LLC and SNAP headers before each datagram, 8 bytes"),
            word("null", "no header: VC multiplexing"),
        ]),
        "Cells: encapsulation of datagrams.",
    )
    .default("\"llc\"", RFC_2684),
    key(
        "mtu",
        Kind::Quantity(Dimension::Size, between("576 B", "65527 B")),
        "Cells: MTU, the largest IP datagram on a virtual circuit, bytes.",
    )
    .default("\"9188 B\"", STUDY),
    key(
        "capture",
        Kind::Word(&[
            word("frames", "each datagram with its VCI (LINKTYPE_SUNATM)"),
            word("cells", "AAL5 frames with their trailers, and RM cells (LINKTYPE_ERF)"),
        ]),
        "Cells: format of a capture; without encapsulation, and for packets, IP datagrams only (LINKTYPE_RAW).",
    )
    .default("\"frames\"", ASSUMED),
    key(
        "slotted",
        Kind::Flag,
        "Cells: whether cells start only at multiples of the cell time, as on a real link with idle cells.",
    )
    .default("false", ASSUMED),
];
