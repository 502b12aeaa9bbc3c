//! Keys of the tables that the voice study varies.

use super::super::common::SPAN;
use super::super::{Bounds, Key, Kind, between, key, time, word};
use super::flow::CLASSES;
use super::station::{ALLOCATION, DISCIPLINES};
use super::{ASSUMED, REPORT, STANDARD};
use crate::quantity::Dimension;

const SHARE: Bounds = between("0 %", "100 %");

/// Keys of `[voice]` that shape its stations.
pub const RECEIVERS: &[Key] =
    &[key("receivers", Kind::Integer(1, 999), "How many receivers; several are reached by multicast.")
        .default("1", REPORT)];

/// Keys of `[probe]`.
pub const PROBE: &[Key] = &[
    key(
        "measure",
        Kind::Word(&[
            word(
                "half-round-trip",
                "the receiver's user answers at once; half of what the sender's clock reads, in whole ticks",
            ),
            word("one-way", "both hosts share the clock: from writing to delivery, in the stream"),
        ]),
        "How the response time of voice is taken.",
    )
    .default("\"half-round-trip\"", ASSUMED),
    key("exchanges", Kind::Integer(0, 1_000_000), "Response times taken in each replication; 0 leaves that run out.")
        .default("1000", REPORT),
    key(
        "transfer",
        Kind::Quantity(Dimension::Size, between("0 B", "1024 MiB")),
        "Data streamed, as much as goes, for throughput and channels; 0 B leaves that run out.",
    )
    .default("\"1 MiB\"", REPORT),
    key("paced", time(SPAN), "How long all channels run in real time, for the FIFOs; 0 s leaves that run out.")
        .default("\"10 s\"", ASSUMED),
];

/// Keys of `[background]`.
pub const BACKGROUND: &[Key] = &[
    key(
        "rate",
        Kind::Quantity(Dimension::BitRate, between("0 bit/s", "1 Gbit/s")),
        "What the generator offers, from frame control to check sequence; 0 bit/s: nothing.",
    )
    .label("Background load")
    .default("\"0 bit/s\"", REPORT),
    key(
        "frame",
        Kind::Quantity(Dimension::Size, between("17 B", "4495 B")),
        "Length of its frames, from frame control to check sequence.",
    )
    .default("\"4167 B\"", REPORT),
    key("discipline", Kind::Word(DISCIPLINES), "Its frames on one token.")
        .default("\"single-packet-per-token\"", REPORT),
    key(
        "burst",
        Kind::Integer(1, 1_000_000),
        "Frames it offers at once, and sends on one token, where they are several.",
    )
    .default("15", REPORT),
    key(
        "arrivals",
        Kind::Word(&[
            word("periodic", "at even intervals from a random moment on"),
            word("poisson", "after independent exponential intervals"),
        ]),
        "When it offers them.",
    )
    .default("\"periodic\"", ASSUMED),
    key(
        "clock_error",
        Kind::Quantity(Dimension::Fraction, between("0 %", "50 %")),
        "By how much its intervals are shorter than the rate says.",
    )
    .default("\"0 %\"", ASSUMED),
    key("class", Kind::Word(CLASSES), "The ring's class of its frames.").default("\"synchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority of its frames, 7 is the highest.")
        .default("0", STANDARD),
    ALLOCATION,
];

/// Keys of `[messages]`.
pub const MESSAGES: &[Key] = &[
    key("rate", Kind::Quantity(Dimension::Rate, between("0 /s", "1e6 /s")), "Messages per second; 0 /s: none.")
        .default("\"0 /s\"", REPORT),
    key("data", Kind::Quantity(Dimension::Size, between("1 B", "4495 B")), "User data of a short message.")
        .default("\"40 B\"", REPORT),
    key("long_data", Kind::Quantity(Dimension::Size, between("1 B", "4495 B")), "User data of a long message.")
        .default("\"512 B\"", REPORT),
    key("long_share", Kind::Quantity(Dimension::Fraction, SHARE), "Share of long messages.")
        .default("\"50 %\"", REPORT),
    key(
        "from",
        Kind::Word(&[
            word("sender", "the sender of the voice"),
            word("both", "the sender and the receivers, each with half the rate"),
        ]),
        "Who sends them.",
    )
    .default("\"sender\"", ASSUMED),
    key("acknowledged", Kind::Flag, "Whether they go over XTP; else they are datagrams.").default("false", ASSUMED),
    key("class", Kind::Word(CLASSES), "The ring's class of their frames.").default("\"asynchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority of their frames, 7 is the highest.")
        .default("0", STANDARD),
    key(
        "arrivals",
        Kind::Word(&[
            word("poisson", "after independent exponential intervals"),
            word("periodic", "at even intervals from a random moment on"),
            word("after-write", "one after each packet of voice that the sender writes, whatever the rate"),
        ]),
        "When they are handed over.",
    )
    .default("\"poisson\"", ASSUMED),
];

/// Keys of `[impairment]`.
pub const IMPAIRMENT: &[Key] = &[
    key(
        "unacknowledged",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Share of the voice packets received that the receiver fails to acknowledge.",
    )
    .label("Unacknowledged packets")
    .default("\"0 %\"", REPORT),
    key(
        "reading",
        Kind::Word(&[
            word("kept", "the data are delivered, and the next report covers them"),
            word("lost", "the data are lost too"),
        ]),
        "What an unacknowledged packet is.",
    )
    .default("\"kept\"", ASSUMED),
    key("frame_loss", Kind::Quantity(Dimension::Fraction, SHARE), "Share of the frames whose check sequence fails.")
        .default("\"0 %\"", ASSUMED),
    key(
        "token_loss",
        Kind::Quantity(Dimension::Rate, between("0 /s", "1e6 /s")),
        "How often the token of each ring is lost, at random moments.",
    )
    .default("\"0 /s\"", ASSUMED),
];

/// Keys of `[router]`.
pub const ROUTER: &[Key] = &[
    key("count", Kind::Integer(0, 100), "How many routers, with one ring more than routers.")
        .label("Routers")
        .default("0", REPORT),
    key("delay", time(SPAN), "What each delays a packet, whatever its length.").default("\"1 ms\"", REPORT),
    key(
        "rate",
        Kind::Quantity(Dimension::Rate, super::super::common::SOME_RATE),
        "Packets each forwards per second at most.",
    )
    .default("\"2000 /s\"", REPORT),
];
