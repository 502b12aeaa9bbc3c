//! Keys of flows, and of the probe and the background traffic that studies vary.

use super::super::common::{NAME, PROBE, SPAN};
use super::super::{Key, Kind, Target, above, between, key, time, word};
use super::lan::CATEGORIES;
use super::{ASSUMED, STUDY, TTCP};
use crate::keys::voice;
use crate::quantity::Dimension;

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
            word("echo", "closed loop of UDP echo requests: the next request follows the response"),
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

/// Keys of an echo.
pub const ECHO: &[Key] = &[
    key("size", Kind::Quantity(Dimension::Size, between("1 B", "65507 B")), "Echo: user data of a datagram, bytes.")
        .label("Request size")
        .default("\"64 B\"", STUDY),
    key("think", time(SPAN), "Echo: minimum think time between a response and the next request.")
        .default("\"0 s\"", ASSUMED),
    key("think_spread", time(SPAN), "Echo: a uniform random time up to this is added to the think time.")
        .default("\"0 s\"", ASSUMED),
    key("timeout", time(above("0 s", "1 h")), "Echo: time after which a request without a response counts as lost.")
        .default("\"2 s\"", ASSUMED),
];

/// Keys of a bulk transfer.
pub const BULK: &[Key] = &[
    key("write", Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")), "Bulk: bytes per write call.")
        .default("\"8192 B\"", TTCP),
    key(
        "connection",
        Kind::Word(&[
            word("handshake", "three-way handshake when the flow begins"),
            word("established", "open from the start"),
        ]),
        "Bulk: how its TCP connection is established.",
    )
    .default("\"handshake\"", ASSUMED),
];

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

/// When an echo begins.
pub const ECHO_START: &[Key] = &[
    key("start", time(SPAN), "Time of the first request.").default("\"0 s\"", ASSUMED),
    START_SPREAD.default("\"0 s\"", ASSUMED),
];

/// When a bulk transfer begins.
pub const BULK_START: &[Key] = &[
    key("start", time(SPAN), "Time of the first write.").default("\"0 s\"", ASSUMED),
    START_SPREAD.default("\"100 ms\"", ASSUMED),
];

const START_SPREAD: Key = key("start_spread", time(SPAN), "A uniform random time up to this is added to `start`.");

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
