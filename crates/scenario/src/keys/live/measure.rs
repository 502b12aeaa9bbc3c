//! Keys of `[measure]` and `[xtp]`: the peer, the schedule of requests, and how packets leave this host.

use super::{DESIGN, group, services};
use crate::keys::{Bounds, Key, Kind, Secrecy, Shape, TableKeys, above, between, key, time, voice, word};
use crate::quantity::Dimension;

/// A phase of a measurement.
const PHASE: Bounds = between("0 s", "24 h");

/// The peer of a measurement.
pub const PEER: Key =
    key("peer", Kind::Text, "URL of the peer, as sojourn://HOST; `sojourn measure --help` lists the schemes.")
        .optional()
        .live()
        .secret(Secrecy::Url);

const INJECT_LOSS: Key = key(
    "inject_loss",
    Kind::Quantity(Dimension::Fraction, between("0 %", "99.99 %")),
    "For tests: share of this host's own datagrams that it drops before sending.",
)
.default("\"0 %\"", DESIGN)
.live()
.flag("inject-loss", group::ALL);

/// Keys of timed tests.
const TIMED: &[Key] = &[
    key(
        "transport",
        Kind::Word(&[word("udp", "a datagram each"), word("tcp", "one connection for all")]),
        "Transport protocol of requests and responses.",
    )
    .default("\"udp\"", DESIGN)
    .live()
    .flag("transport", group::IP),
    key(
        "schedule",
        Kind::Word(&[
            word("periodic", "open loop, one request every 1/rate"),
            word("poisson", "open loop, exponential intervals of mean 1/rate"),
            word("burst", "open loop, `burst` requests back to back, `rate` on average"),
            word("ping-pong", "closed loop: the next request leaves `probe.think` after the response"),
        ]),
        "When requests leave; without it periodic, or the closed loop of a [probe] between stations.",
    )
    .optional()
    .live()
    .flag("schedule", group::IP),
    key("rate", Kind::Quantity(Dimension::Rate, between("1 /h", "1e6 /s")), "Open loop: requests per second.")
        .default("\"100 /s\"", DESIGN)
        .live()
        .flag("rate", group::IP),
    key("burst", Kind::Integer(2, 1000), "Schedule burst: requests sent back to back.").default("10", DESIGN).live(),
    key("idle", time(PHASE), "How long the idle network is measured before a [[load]].")
        .default("\"5 s\"", DESIGN)
        .live()
        .flag("idle", group::LOAD),
    key("recovery", time(PHASE), "How long the network is measured after a [[load]].")
        .default("\"5 s\"", DESIGN)
        .live()
        .flag("recovery", group::LOAD),
    key(
        "outage_limit",
        time(between("1 s", "24 h")),
        "The measurement ends in an outage longer than this; without it, it goes on through any outage.",
    )
    .optional()
    .live()
    .flag("outage-limit", group::IP),
    key("dscp", Kind::Integer(0, 63), "Differentiated services code point of requests.")
        .default("0", "RFC 2474")
        .live()
        .flag("dscp", group::IP),
    key("ecn", Kind::Integer(0, 3), "ECN field of requests: 0 not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.")
        .default("0", "RFC 3168")
        .live()
        .flag("ecn", group::IP),
    key("bind", Kind::Text, "Address of this host that requests are sent from; without it the system chooses.")
        .optional()
        .live()
        .flag("bind", group::IP),
    key(
        "pacing",
        Kind::Word(&[
            word("hybrid", "sleep, then spin until the send time"),
            word("sleep", "sleep only: no processor load, later by the wake-up latency"),
            word("spin", "spin only: earliest, and one processor is busy"),
        ]),
        "How scheduled send times are met; without it as calibration finds best.",
    )
    .optional()
    .live()
    .flag("pacing", group::IP),
    key(
        "clocks",
        Kind::Word(&[
            word(
                "estimated",
                "the offset of the peer's clock is estimated from the packets, within half of the round trip",
            ),
            word(
                "synchronised",
                "the wall clocks of both hosts are synchronised (NTP, PTP), within errors that they state",
            ),
        ]),
        "What one-way delays are measured by.",
    )
    .default("\"estimated\"", DESIGN)
    .live()
    .flag("clocks", group::IP),
    key(
        "clock_error",
        time(above("0 s", "10 s")),
        "Clocks synchronised: largest difference of the two; without it the sum of what both hosts state.",
    )
    .optional()
    .live()
    .flag("clock-error", group::IP),
    key("no_cpu_idle", Kind::Flag, "Keep this host's processors out of C-states (PM QoS) during the test; as root.")
        .default("false", DESIGN)
        .live()
        .flag("no-cpu-idle", group::IP),
    key("key_file", Kind::Text, "File of the key shared with the peer, mode 0600 or 0440; without it $SOJOURN_KEY.")
        .optional()
        .live()
        .secret(Secrecy::File)
        .flag("key-file", group::IP),
    key("voice", Kind::Table(voice::MEASURED), "Requests are a voice stream, rated by the E-model.").optional().live(),
];

/// `[measure]` of networks of hosts.
pub const OF_HOSTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::One,
    keys: &[&[PEER], TIMED, services::KEYS, &[INJECT_LOSS]],
    help: "How a real network is measured: the peer, when requests are sent, and how packets leave this host.",
};

/// `[measure]` of radio channels.
pub const OF_RADIO: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::One,
    keys: &[&[PEER, INJECT_LOSS]],
    help: "How a real channel is measured.",
};

/// Name of the table of measurement keys.
pub const TABLE: &str = "measure";

/// `[xtp]`: what `xtp+udp://` and `xtp+ip://` measure in place of a timed test.
pub const XTP: TableKeys = TableKeys {
    name: "xtp",
    shape: Shape::One,
    keys: &[&[
        key(
            "transfer",
            Kind::Quantity(Dimension::Size, between("0 B", "1048576 MiB")),
            "Bytes of a bulk transfer; 0 B for none.",
        )
        .default("\"10 MiB\"", DESIGN)
        .live()
        .flag("size", group::XTP),
        key(
            "packet_size",
            Kind::Quantity(Dimension::Size, between("1 B", "65000 B")),
            "Data bytes of a packet; 1440 B fill an Ethernet frame with the headers of XTP, UDP and IPv4.",
        )
        .default("\"1440 B\"", DESIGN)
        .live()
        .flag("packet-size", group::XTP),
    ]],
    help: "Measurements over XTP associations.",
};
