//! Keys of `[abr]`: what sources and destinations of the available bit rate keep to. The names of Traffic Management 4.0
//! and of the drafts of 1995 stand in brackets.

use super::super::common::SPAN;
use super::super::{Bounds, Key, Kind, above, between, key, time, word};
use super::ASSUMED;
use crate::quantity::Dimension;

/// The parameters of the study.
const LAN_SET: &str = "ATM Forum 95-1328R1";
/// The specification that came of the drafts.
const TM_4: &str = "ATM Forum Traffic Management 4.0";

const RATE: Bounds = between("0 bit/s", "1000 Gbit/s");

const fn rate(name: &'static str, bounds: Bounds, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::BitRate, bounds), help)
}

/// Keys of `[abr]`.
pub const KEYS: &[Key] = &[
    rate("peak_rate", above("0 bit/s", "1000 Gbit/s"), "The most a source may ever send (PCR); the link may allow less.")
        .default("\"155 Mbit/s\"", LAN_SET),
    rate("minimum_rate", RATE, "What it may always send (MCR).").default("\"0.5 Mbit/s\"", LAN_SET),
    rate("initial_rate", RATE, "What it may send at first, and after a silence (ICR).")
        .default("\"10 Mbit/s\"", LAN_SET),
    rate("additive_increase", RATE, "Without congestion it may send `cells_per_forward` times this more (AIR).")
        .default("\"0.01892 Mbit/s\"", LAN_SET),
    key(
        "decrease_divisor",
        Kind::Number(between("2", "65536")),
        "With congestion it may send `cells_per_forward` / this less, as a share of its rate (RDF).",
    )
    .default("512", LAN_SET),
    key(
        "decreases",
        Kind::Word(&[
            word("on-congestion", "when it is told of congestion"),
            word("with-every-cell", "a little with each cell it sends, which is restored by good news (EPRCA of 1994)"),
        ]),
        "When its rate falls.",
    )
    .default("\"on-congestion\"", LAN_SET),
    key(
        "cells_per_forward",
        Kind::Choice(&[2, 4, 8, 16, 32, 64, 128, 256]),
        "One of so many cells is a forward resource management cell (Nrm).",
    )
    .default("32", LAN_SET),
    key(
        "least_cells_per_forward",
        Kind::Integer(1, 255),
        "Cells that at least lie between two of them when time calls for one (Mrm).",
    )
    .default("2", LAN_SET),
    key("longest_silence", time(SPAN), "After so long the next one is due (Trm).").default("\"100 ms\"", LAN_SET),
    key("forward_without_data", Kind::Flag, "Whether it then goes though no data wait.").default("true", ASSUMED),
    key(
        "out_of_rate",
        Kind::Quantity(Dimension::Rate, between("0 /s", "1000000 /s")),
        "A source that may send no more than this goes on asking so often (TCR), cells a second.",
    )
    .default("\"10 /s\"", LAN_SET),
    key(
        "unanswered_limit",
        Kind::Integer(1, 1_000_000),
        "Forward cells without an answer until its rate falls (Xrm, CRM).",
    )
    .default("32", LAN_SET),
    key(
        "unanswered_decrease",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Share of its rate that each further one then costs (Xdf, CDF).",
    )
    .default("\"50 %\"", LAN_SET),
    key(
        "idle",
        Kind::Word(&[
            word("decay", "it falls with the time, down to the initial rate (drafts of 1995)"),
            word("reset", "it falls to the initial rate after `idle_limit` (Traffic Management 4.0)"),
            word("keep", "it stays"),
        ]),
        "What becomes of a rate above the initial one that is not used.",
    )
    .default("\"decay\"", LAN_SET),
    key(
        "idle_factor",
        Kind::Number(between("0", "1000")),
        "decay: it falls after so many times the span of `cells_per_forward` cells at its rate (TOF).",
    )
    .default("2", LAN_SET),
    key(
        "idle_decrease",
        Kind::Number(between("0", "1000")),
        "decay: each second costs this / `decrease_divisor` x the least power of two from the peak rate in cells a second, as a share of the rate (TDFF).",
    )
    .default("0.5", LAN_SET),
    key("idle_limit", time(SPAN), "reset: the silence that is allowed (ADTF).").default("\"500 ms\"", TM_4),
    key("reschedules", Kind::Flag, "Whether a new rate moves the next cell, too.").default("true", ASSUMED),
    key(
        "rates_count",
        Kind::Word(&[word("cells", "424 bits for a cell"), word("payload", "its 384 bits of payload")]),
        "What the bits of these rates are.",
    )
    .default("\"cells\"", ASSUMED),
    key("coded_rates", Kind::Flag, "Whether resource management cells tell rates in their 16 bits, rounded down.")
        .default("false", ASSUMED),
    key(
        "backward_bypasses",
        Kind::Flag,
        "Whether backward cells leave at once, whatever the rate of the source they pass.",
    )
    .default("false", ASSUMED),
    key(
        "keeps_indication",
        Kind::Flag,
        "Whether a destination tells of congestion until an unmarked cell comes, rather than once for each marked one.",
    )
    .default("false", TM_4),
    key(
        "keeps_congestion",
        Kind::Flag,
        "Whether a backward cell that replaces one that waits tells of the congestion that that would have told.",
    )
    .default("false", ASSUMED),
];
