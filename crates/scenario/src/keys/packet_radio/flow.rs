//! Keys of the probe and of background traffic.

use super::super::common::{ARRIVALS, NAME, RECEIVERS, SOME_TIME, SPAN};
use super::super::{Key, Kind, Target, Variant, between, key, time, word};
use super::ASSUMED;
use crate::keys::Word;
use crate::quantity::Dimension;

/// The benchmark that the probe is taken from.
const BENCHMARK: &str = "packet-radio benchmark (KP4DJT)";

/// Keys of the ping-pong whose round-trip time is measured.
pub const PROBE: &[Key] = &[
    key("from", Kind::Names(Target::Station, &[]), "The terminal that sends the blocks; without it, there is no probe.")
        .optional(),
    key("to", Kind::Names(Target::Station, &[]), "The terminal that returns them.").optional(),
    key(
        "path",
        Kind::Names(Target::Station, &[word("direct", "the terminals hear each other")]),
        "Stations on the path, in order: digipeaters, or the first and the last node, or the first and the last switch.",
    )
    .default("\"direct\"", ASSUMED),
    key("size", Kind::Quantity(Dimension::Size, between("1 B", "65535 B")), "Octets of a block.").label("Block size")
        .default("\"64 B\"", BENCHMARK),
    key("round_trips", Kind::Integer(1, 1_000_000), "Round trips per replication, which ends after them.")
        .default("20", BENCHMARK),
    key("pause", time(SPAN), "From the end of a round trip to the start of the next.").default("\"0 s\"", ASSUMED),
    key("timeout", time(SOME_TIME), "Timeout of a round trip, and of the path setup; then it counts as failed.")
        .default("\"10 min\"", ASSUMED),
];

/// The arrivals that messages have.
const MESSAGE_ARRIVALS: &[Variant] = &[ARRIVALS[0], ARRIVALS[1], ARRIVALS[2], ARRIVALS[3], ARRIVALS[4], ARRIVALS[5]];

/// The receiver of a flow beside names.
const TO: &[Word] = &[RECEIVERS[0], word("broadcast", "the address QST, which no station acknowledges")];

/// Keys of background traffic between two stations, or of broadcasts.
pub const KEYS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The sender; of a station with count, each member on its own."),
    key("to", Kind::Names(Target::Station, TO), "The receiver, `partner`, or `broadcast`."),
    key(
        "path",
        Kind::Names(Target::Station, &[word("direct", "the stations hear each other")]),
        "Digipeaters on the path, in order.",
    )
    .default("\"direct\"", ASSUMED),
    key(
        "service",
        Kind::Word(&[word("unnumbered", "UI frames, unacknowledged"), word("connected", "I frames of a link")]),
        "The AX.25 service of its messages.",
    )
    .default("\"unnumbered\"", ASSUMED),
    key("arrivals", Kind::Variants(MESSAGE_ARRIVALS), "When the application sends messages.")
        .default("{ kind = \"poisson\", interval = \"60 s\" }", ASSUMED),
    key("data", Kind::Quantity(Dimension::Size, between("1 B", "8191 B")), "Octets of a message, one frame each.")
        .default("\"128 B\"", ASSUMED),
    key("queue", Kind::Integer(1, 1_000_000), "Queue limit of a sender in messages; more are dropped and counted.")
        .default("16", ASSUMED),
];
