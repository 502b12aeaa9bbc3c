//! Keys of the probe and of background traffic.

use super::ASSUMED;
use sojourn_scenario::keys::Word;
use sojourn_scenario::keys::common::{MESSAGE_ARRIVALS, NAME, RECEIVERS, SOME_TIME, SPAN};
use sojourn_scenario::keys::laws::time_or_law;
use sojourn_scenario::keys::{Bounds, Key, Kind, Target, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

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

/// Octets that an end of a session sends.
const DATA: Bounds = between("1 B", "16 MiB");

/// The receiver of a flow beside names.
const TO: &[Word] = &[RECEIVERS[0], word("broadcast", "the address QST, which no station acknowledges")];

/// Keys of background traffic between two stations, or of broadcasts.
pub const KEYS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The sender; of a station with count, each member on its own."),
    key("to", Kind::Names(Target::Station, TO), "The receiver, `partner`, or `broadcast`."),
    key(
        "path",
        Kind::Names(Target::Hop, &[word("direct", "the stations hear each other")]),
        "Stations on the path, in order: digipeaters, or of unnumbered messages an alias of several; of sessions also the first and the last node, or switch.",
    )
    .default("\"direct\"", ASSUMED),
    key(
        "service",
        Kind::Word(&[
            word("unnumbered", "messages in UI frames, unacknowledged"),
            word("connected", "messages in I frames of a link that stays up"),
            word("session", "users connect along the path, exchange requests and responses, and disconnect"),
        ]),
        "How it uses AX.25.",
    )
    .default("\"unnumbered\"", ASSUMED),
    key("arrivals", Kind::Variants(MESSAGE_ARRIVALS), "When the application sends messages, or a user wants a session.")
        .default("{ kind = \"poisson\", interval = \"60 s\" }", ASSUMED),
    key("data", Kind::Quantity(Dimension::Size, between("1 B", "8191 B")), "Octets of a message, one frame each.")
        .default("\"128 B\"", ASSUMED),
    // optional, so that a scenario without sessions is what it was before there were any
    key("exchanges", Kind::Integer(1, 1_000_000), "Session: requests, each answered by a response; by default 1.")
        .optional(),
    key("request", Kind::Quantity(Dimension::Size, DATA), "Session: octets of a request, or of the mail forwarded to the peer; by default 32 B.")
        .optional(),
    key("response", Kind::Quantity(Dimension::Size, DATA), "Session: octets of a response, or of the mail that the peer forwards; by default 512 B.")
        .optional(),
    key(
        "compression",
        Kind::Quantity(Dimension::Fraction, above("0 %", "200 %")),
        "Session: size of requests and responses on the air as a share of their octets; B2F forwarding sends compressed mail; by default 100 %.",
    )
    .optional(),
    key(
        "think_time",
        time_or_law(SPAN),
        "Session: time from a response to the next request: the mean of an exponential distribution, or a distribution; by default 0 s.",
    )
    .optional(),
    key("turnaround", time(SPAN), "Session: time from the last octet of a request to the first of its response; by default 0 s.")
        .optional(),
    key(
        "timeout",
        time(SOME_TIME),
        "Session: after this time the setup of the path, or an exchange, and with it the session has failed; by default 10 min.",
    )
    .optional(),
    key("queue", Kind::Integer(1, 1_000_000), "Queue limit of a sender in messages, or in sessions wanted; more are dropped and counted.")
        .default("16", ASSUMED),
];
