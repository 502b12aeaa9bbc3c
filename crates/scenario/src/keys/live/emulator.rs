//! The impairments of the network emulator, as the options of `sojourn relay` take them.

use super::DESIGN;
use crate::keys::{Bounds, Key, Kind, Word, between, key, time, word};
use crate::quantity::Dimension;

/// No path on Earth, nor through a geostationary satellite, is longer.
const DELAY: Bounds = between("0 s", "1 min");
const SHARE: Kind = Kind::Quantity(Dimension::Fraction, between("0 %", "100 %"));

/// The directions that can be impaired.
const DIRECTIONS: &[Word] = &[
    word("forward", "to the remote host"),
    word("reverse", "from the remote host"),
    word("both", "each by itself, with the same settings"),
];

/// The impairments of one direction, and the direction.
pub static IMPAIRMENTS: &[Key] = &[
    key("direction", Kind::Word(DIRECTIONS), "Direction to impair.").default("\"both\"", DESIGN),
    key("delay", time(DELAY), "One-way delay.").default("\"0 s\"", DESIGN),
    key("jitter", time(DELAY), "Uniform additional delay up to this, in order.").default("\"0 s\"", DESIGN),
    key("loss", SHARE, "Probability that a datagram is lost.").default("\"0 %\"", DESIGN),
    key("duplication", SHARE, "Probability that a datagram is duplicated.").default("\"0 %\"", DESIGN),
    key("reordering", SHARE, "Probability that a datagram is delayed by the reorder delay.").default("\"0 %\"", DESIGN),
    key("reorder-delay", time(DELAY), "Additional delay of reordered datagrams.").default("\"10 ms\"", DESIGN),
    key(
        "rate",
        Kind::Quantity(Dimension::BitRate, between("100 bit/s", "400 Gbit/s")),
        "Link rate, payload bits per second.",
    )
    .optional(),
    key(
        "rate-trace",
        Kind::File,
        "File with the rate over time, in place of a rate: a packet-delivery trace of Mahimahi, or CSV with time (s) and rate (bit/s).",
    )
    .optional(),
    key(
        "queue",
        Kind::Quantity(Dimension::Size, between("1500 B", "64 MiB")),
        "Queue limit in bytes; tail drop beyond it.",
    )
    .default("\"64 kB\"", DESIGN),
    key("duration", time(crate::keys::common::SPAN), "Time after which the emulator ends.").optional(),
];
