//! Keys of the tables that the voice study varies: probe, background, messages, impairment, router.

use super::flow::CLASSES;
use super::station::{ALLOCATION, DISCIPLINES};
use super::{ASSUMED, REPORT, STANDARD};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Bounds, Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const SHARE: Bounds = between("0 %", "100 %");

/// Keys of `[voice]` that shape its stations.
pub const RECEIVERS: &[Key] =
    &[key("receivers", Kind::Integer(1, 999), "Number of receivers; two or more are reached by multicast.")
        .default("1", REPORT)];

/// Keys of the response-time measurement: what is timed, and how often.
pub const PROBE: &[Key] = &[
    key(
        "measure",
        Kind::Word(&[
            word("half-round-trip", "half of the round-trip time by the sender's clock, in whole ticks"),
            word("one-way", "one-way delay of the stream by a common clock, from write to delivery"),
        ]),
        "How the response time of voice is measured.",
    )
    .default("\"half-round-trip\"", ASSUMED),
    key(
        "exchanges",
        Kind::Integer(0, 1_000_000),
        "Exchanges timed per replication; 0 skips them. With events, any number takes all of run.duration.",
    )
        .default("1000", REPORT),
    key(
        "transfer",
        Kind::Quantity(Dimension::Size, between("0 B", "1024 MiB")),
        "Bulk data sent to measure throughput and voice channels; 0 B skips it.",
    )
    .default("\"1 MiB\"", REPORT),
    key(
        "paced",
        time(SPAN),
        "How long all channels run in real time, to observe the FIFOs; 0 s skips it. With events, any time takes all of run.duration.",
    )
        .default("\"10 s\"", ASSUMED),
];

/// Keys of the frames without a receiver that load the rings.
pub const BACKGROUND: &[Key] = &[
    key(
        "rate",
        Kind::Quantity(Dimension::BitRate, between("0 bit/s", "1 Gbit/s")),
        "Offered load, from frame control to frame check sequence; 0 bit/s: none.",
    )
    .label("Background load")
    .default("\"0 bit/s\"", REPORT)
    .changeable(),
    key(
        "frame",
        Kind::Quantity(Dimension::Size, between("17 B", "4495 B")),
        "Frame length, from frame control to frame check sequence.",
    )
    .default("\"4167 B\"", REPORT),
    key("discipline", Kind::Word(DISCIPLINES), "Frames per token.").default("\"single-packet-per-token\"", REPORT),
    key(
        "burst",
        Kind::Integer(1, 1_000_000),
        "Frames per burst; also the maximum per token with multiple-packets-per-token.",
    )
    .default("15", REPORT),
    key(
        "arrivals",
        Kind::Word(&[
            word("periodic", "constant intervals with a random phase"),
            word("poisson", "independent exponential intervals"),
        ]),
        "Arrival process of the bursts.",
    )
    .default("\"periodic\"", ASSUMED),
    key(
        "clock_error",
        Kind::Quantity(Dimension::Fraction, between("0 %", "50 %")),
        "Clock error of the generator: its intervals are this share shorter than `rate` implies.",
    )
    .default("\"0 %\"", ASSUMED),
    key("class", Kind::Word(CLASSES), "Service class of its frames.").default("\"synchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority of its frames; 7 is the highest.")
        .default("0", STANDARD),
    ALLOCATION,
];

/// Keys of the short and long data messages between voice packets.
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
            word("both", "sender and receivers, each at half the rate"),
        ]),
        "Sender of the messages.",
    )
    .default("\"sender\"", ASSUMED),
    key("acknowledged", Kind::Flag, "Messages go over XTP; off: datagrams.").default("false", ASSUMED),
    key("class", Kind::Word(CLASSES), "Service class of their frames.").default("\"asynchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority of their frames; 7 is the highest.")
        .default("0", STANDARD),
    key(
        "arrivals",
        Kind::Word(&[
            word("poisson", "independent exponential intervals"),
            word("periodic", "constant intervals with a random phase"),
            word("after-write", "one after each voice packet the sender writes; `rate` is ignored"),
        ]),
        "Arrival process.",
    )
    .default("\"poisson\"", ASSUMED),
];

/// Keys of faults: packets not acknowledged, frames and tokens lost.
pub const IMPAIRMENT: &[Key] = &[
    key(
        "unacknowledged",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Share of received voice packets that are not acknowledged.",
    )
    .label("Unacknowledged packets")
    .default("\"0 %\"", REPORT),
    key(
        "unacknowledged_data",
        Kind::Word(&[
            word("delivered", "the data are delivered; a later acknowledgement covers them"),
            word("lost", "the data are lost as well"),
        ]),
        "What happens to the data of an unacknowledged packet.",
    )
    .default("\"delivered\"", ASSUMED),
    key(
        "frame_loss",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Frame loss: share of frames with a bad frame check sequence.",
    )
    .default("\"0 %\"", ASSUMED)
    .changeable(),
    key(
        "token_loss",
        Kind::Quantity(Dimension::Rate, between("0 /s", "1e6 /s")),
        "Rate at which the token of each ring is lost (Poisson).",
    )
    .default("\"0 /s\"", ASSUMED)
    .changeable(),
];

/// Keys of the routers between the rings: number, delay and rate.
pub const ROUTER: &[Key] = &[
    key("count", Kind::Integer(0, 100), "Number of routers; the network has one ring more.")
        .label("Routers")
        .default("0", REPORT),
    key("delay", time(SPAN), "Forwarding delay of each router, independent of packet length.")
        .default("\"1 ms\"", REPORT),
    key(
        "rate",
        Kind::Quantity(Dimension::Rate, sojourn_scenario::keys::common::SOME_RATE),
        "Maximum forwarding rate of each router, in packets per second.",
    )
    .default("\"2000 /s\"", REPORT),
];
