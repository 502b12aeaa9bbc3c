//! Keys of `[lan]`: what all its links and hosts have in common.

use super::super::{Key, Kind, between, key, word};
use super::{ASSUMED, RFC_2684, STUDY};
use crate::keys::Word;
use crate::quantity::Dimension;

/// Which of ATM's services a circuit has.
pub const CATEGORIES: &[Word] = &[
    word("ubr", "unspecified bit rate: cells leave as fast as the link takes them"),
    word("abr", "available bit rate: the source keeps to the rate that the network allows; its parameters are [abr]"),
];

/// Keys of `[lan]`.
pub const KEYS: &[Key] = &[
    key(
        "framing",
        Kind::Word(&[
            word("cells", "ATM: datagrams in AAL5 frames, cut into cells; switches forward cells"),
            word("packets", "Ethernet: whole datagrams in frames; switches receive a frame before they forward it"),
        ]),
        "What goes over its links.",
    )
    .default("\"cells\"", STUDY),
    key("service", Kind::Word(CATEGORIES), "Cells: the service of circuits whose flows do not say otherwise.")
        .default("\"ubr\"", STUDY),
    key(
        "circuits",
        Kind::Word(&[
            word("per-pair", "one for all flows between two hosts"),
            word("per-flow", "one for each flow"),
        ]),
        "Cells: how many virtual circuits there are, each both ways.",
    )
    .default("\"per-pair\"", ASSUMED),
    key(
        "encapsulation",
        Kind::Word(&[
            word("llc", "LLC and SNAP before each datagram, 8 octets"),
            word("null", "nothing before it: the circuit says what it carries"),
        ]),
        "Cells: what stands before a datagram.",
    )
    .default("\"llc\"", RFC_2684),
    key(
        "mtu",
        Kind::Quantity(Dimension::Size, between("576 B", "65527 B")),
        "Cells: octets of the longest IP datagram on a circuit.",
    )
    .default("\"9188 B\"", STUDY),
    key(
        "capture",
        Kind::Word(&[
            word("frames", "each datagram behind its circuit's number (LINKTYPE_SUNATM)"),
            word("cells", "whole AAL5 frames with their trailers, and cells of rate control (LINKTYPE_ERF)"),
        ]),
        "Cells: what a capture shows; without encapsulation, and of packets, datagrams alone (LINKTYPE_RAW).",
    )
    .default("\"frames\"", ASSUMED),
    key(
        "slotted",
        Kind::Flag,
        "Cells: whether a cell begins only at whole multiples of the cell time, as between the idle cells of a real link.",
    )
    .default("false", ASSUMED),
];
