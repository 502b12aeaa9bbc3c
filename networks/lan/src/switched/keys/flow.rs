//! Keys of flows, and of the probe and the background traffic that studies vary.

use super::lan::CATEGORIES;
use super::{ASSUMED, STUDY, TTCP};
use sojourn_scenario::keys::common::{NAME, OPEN_ARRIVALS, PROBE, SPAN};
use sojourn_scenario::keys::laws::program_time;
use sojourn_scenario::keys::live::group;
use sojourn_scenario::keys::{Key, Kind, Target, Variant, above, between, key, time, word};
use sojourn_scenario::keys::{Word, voice};
use sojourn_scenario::quantity::Dimension;

/// Keys of `[[flow]]` apart from those of its service.
pub const ENDS: &[Key] = &[
    NAME,
    key(
        "from",
        Kind::Names(Target::Station, &[]),
        "The client or sender; each of several has a transfer or echo of its own.",
    ),
    key(
        "to",
        Kind::Names(
            Target::Station,
            &[word("partner", "members 1 and 2, 3 and 4, ... of the sending station are each other's peers")],
        ),
        "The server or receiver; several are assigned in turn: to the first sender, the second sender, ...",
    ),
    key(
        "service",
        Kind::Word(&[
            word("echo", "closed loop of requests over UDP: the next request follows the response"),
            word(
                "request",
                "closed loop of requests over TCP, without Nagle's algorithm; a request waits until TCP gives up its connection",
            ),
            word("stream", "datagrams over UDP in one direction, at `arrivals`"),
            word("bulk", "bulk transfer over a TCP connection that never ends"),
            word("voice", "calls: RTP over UDP in both directions, described by `voice`"),
        ]),
        "What the flow carries.",
    ),
    PROBE,
];

/// The ends of the probe.
pub const PROBED: &[Key] = &[
    key("from", Kind::Names(Target::Station, &[]), "The client; without it there is no probe.").optional(),
    key("to", Kind::Names(Target::Station, &[]), "The server.").optional(),
];

/// The ends of the background traffic.
pub const BULK_ENDS: &[Key] = &[
    key("from", Kind::Names(Target::Station, &[]), "The senders, in turn; without it there is no background traffic.")
        .optional(),
    key("to", Kind::Names(Target::Station, &[]), "The receivers, in turn.").optional(),
    key(
        "streams",
        Kind::Integer(0, 10_000),
        "Number of transfers: the first from the first sender to the first receiver, the second from the second to the second, ...",
    ).label("Bulk transfers")
    .default("1", STUDY),
    key(
        "direction",
        Kind::Word(&[
            word("forward", "all from `from` to `to`"),
            word("backward", "all from `to` to `from`"),
            word("alternating", "the first forward, the second backward, ..."),
        ]),
        "Direction of the transfers.",
    )
    .default("\"forward\"", ASSUMED),
];

/// Keys of an echo, the first four of requests over TCP as well.
pub const ECHO: &[Key] = &[
    key(
        "size",
        Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")),
        "Echo, request, stream: user data of a request or datagram, bytes; of a datagram at most 65507 B.",
    )
    .label("Request size")
    .default("\"64 B\"", STUDY),
    key(
        "think",
        program_time(SPAN),
        "Echo, request: minimum think time between a response and the next request, or its distribution.",
    )
    .default("\"0 s\"", ASSUMED)
    .flag_with_help("think", group::IP, "Schedule ping-pong: think time after a response."),
    key("think_spread", time(SPAN), "Echo, request: a uniform random time up to this is added to the think time.")
        .default("\"0 s\"", ASSUMED),
    key("timeout", time(above("0 s", "1 h")), "Echo: time after which a request without a response counts as lost.")
        .default("\"2 s\"", ASSUMED)
        .flag_with_help(
            "timeout",
            group::ALL,
            "Time after which a request without a response counts as lost. [2 s, radio 10 min]",
        ),
];

/// Keys of the server's side of an echo and of requests over TCP.
pub const SERVER: &[Key] = &[
    key(
        "response_size",
        Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")),
        "Echo, request: user data of a response, of a datagram at most 65507 B; by default as long as the request.",
    )
    .optional(),
    key(
        "server_time",
        program_time(SPAN),
        "Echo, request: minimum time from a whole request at the server to its response, or its distribution; by default 0 s.",
    )
    .label("Server time")
    .optional(),
    key(
        "server_time_spread",
        time(SPAN),
        "Echo, request: a uniform random time up to this is added to the server time; by default 0 s.",
    )
    .optional(),
];

/// Keys of an echo or of requests over TCP whose client asks at intervals.
pub const AT_INTERVALS: &[Key] = &[
    key(
        "interval",
        program_time(SPAN),
        "Echo, request: time from a request to the next one, or its distribution, in place of `think`; a request that is due before the response waits for it and does not delay those behind it.",
    )
    .optional(),
    key(
        "interval_spread",
        time(SPAN),
        "Echo, request: a uniform random time up to this is added to the interval; by default 0 s.",
    )
    .optional(),
];

/// Keys of an echo or of requests over TCP whose client asks several servers.
pub const IN_TURN: &[Key] = &[key(
    "poll",
    Kind::Flag,
    "Echo, request: whether each sender asks all of `to` in turn, a server named twice twice in a round, one request at a time: a late \
     response delays the requests behind it. Think time and interval are from request to request of the round. By default a sender has \
     one server.",
)
.optional()];

/// Keys of datagrams in one direction.
pub const STREAM: &[Key] =
    &[key("arrivals", Kind::Variants(OPEN_ARRIVALS), "Stream: arrival process of its datagrams.").optional()];

/// Keys of a bulk transfer.
pub const BULK: &[Key] =
    &[WRITE, connection(&[HANDSHAKE, ESTABLISHED], "Bulk: how its TCP connection is established.")];

/// Keys of a bulk transfer or of requests over TCP.
pub const OVER_TCP: &[Key] = &[
    WRITE,
    connection(
        &[HANDSHAKE, ESTABLISHED, word("per-request", "of requests: one for each, closed after the response")],
        "Bulk, request: how its TCP connection is established.",
    ),
];

const WRITE: Key =
    key("write", Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")), "Bulk: bytes per write call.")
        .default("\"8192 B\"", TTCP);
const HANDSHAKE: Word = word("handshake", "three-way handshake when the flow begins");
const ESTABLISHED: Word = word("established", "open from the start");

const fn connection(words: &'static [Word], help: &'static str) -> Key {
    key("connection", Kind::Word(words), help).default("\"handshake\"", ASSUMED)
}

/// Keys of calls.
pub const CALLS: &[Key] =
    &[key("voice", Kind::Table(voice::SIMULATED), "Voice: its calls, their codec and jitter buffers.").optional()];

/// The mark of packets.
pub const DSCP: Key = key(
    "dscp",
    Kind::Integer(0, 63),
    "Packets: differentiated services code point of both directions: 46 EF, 34 AF41, 26 AF31, 8 CS1; by default 0.",
)
.optional();

/// The class of packets on Ethernet.
pub const PCP: Key = key(
    "pcp",
    Kind::Integer(0, 7),
    "Packets: priority code point (IEEE 802.1Q), the class of strict priority; by default dscp / 8.",
)
.optional();

/// What conditions the traffic of a flow before it enters the network (RFC 2475).
pub const CONDITIONED: &[Key] = &[
    key(
        "shaping",
        Kind::Table(SHAPER),
        "Packets: token bucket shaper at each sender of the flow: a packet waits until the bucket holds tokens for all of it.",
    )
    .optional(),
    key(
        "marking",
        Kind::Variants(MARKER),
        "Packets: meter at each sender, behind `shaping`, that marks the drop precedence of assured forwarding: green AFx1, yellow AFx2, red AFx3.",
    )
    .optional(),
];

const fn token_rate(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "1000 Gbit/s")), help)
}

const fn bucket(name: &'static str, low: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Size, between(low, "1 GiB")), help)
}

const SHAPER: &[Key] = &[
    token_rate("rate", "Token rate, bits of IP packets per second."),
    bucket("burst", "64 B", "Bucket size, at least the longest packet.").default("\"3200 B\"", ASSUMED),
    key("limit", Kind::Integer(1, 10_000_000), "Packets that wait at most; further ones are dropped.")
        .default("1000", "Linux"),
];

const COMMITTED: &[Key] = &[
    token_rate("rate", "Committed information rate (CIR), bits of IP packets per second."),
    bucket("burst", "0 B", "Committed burst size (CBS).").default("\"3000 B\"", ASSUMED),
    key(
        "red",
        Kind::Word(&[
            word("mark", "red packets enter the network as AFx3"),
            word("drop", "red packets are dropped (policing)"),
        ]),
        "What becomes of red packets.",
    )
    .default("\"mark\"", "RFC 2697"),
];

const MARKER: &[Variant] = &[
    Variant {
        word: "single-rate",
        help: "single rate three color marker (RFC 2697), color-blind",
        keys: &[COMMITTED, &[bucket("excess_burst", "0 B", "Excess burst size (EBS).").default("\"0 B\"", ASSUMED)]],
    },
    Variant {
        word: "two-rate",
        help: "two rate three color marker (RFC 2698), color-blind",
        keys: &[
            COMMITTED,
            &[
                token_rate("peak_rate", "Peak information rate (PIR), at least the committed rate."),
                bucket("peak_burst", "64 B", "Peak burst size (PBS).").default("\"3000 B\"", ASSUMED),
            ],
        ],
    },
];

/// When an echo begins.
pub const ECHO_START: &[Key] = &[
    key("start", time(SPAN), "Time of the first request.").default("\"0 s\"", ASSUMED),
    key("start_spread", time(SPAN), "A uniform random time up to this is added to `start`.")
        .default("\"0 s\"", ASSUMED),
];

/// When a bulk transfer begins.
pub const BULK_START: &[Key] = &[
    key("start", time(SPAN), "Time of the first write.").default("\"0 s\"", ASSUMED),
    key(
        "start_spread",
        time(SPAN),
        "A uniform random time up to this is added to `start`; none by default where arrivals start at-once.",
    )
    .default("\"100 ms\"", ASSUMED),
];

/// Keys of the virtual circuit that carries a flow.
pub const CIRCUIT: &[Key] = &[
    key("service_category", Kind::Word(CATEGORIES), "Cells: service category of its virtual circuit; by default the LAN's.")
        .optional(),
    key(
        "vci",
        Kind::Integer(32, 65_535),
        "Cells: virtual channel identifier (VCI), the same on all links; of several circuits, the first's. By default a free one from 100 on.",
    )
    .optional(),
];
