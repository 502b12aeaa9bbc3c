//! Keys of a flow's XTP association: window, status requests, retransmission, rate control.

use super::{ASSUMED, REPORT};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// The transport protocol's definition.
const XTP: &str = "XTP 4.0";

/// Parameters of an association, the same at both ends.
pub const KEYS: &[Key] = &[
    key("window", Kind::Integer(1, 1_000_000), "XTP: window, in packets that may be in flight unacknowledged.")
        .default("32", ASSUMED),
    key(
        "retransmission",
        Kind::Word(&[
            word("automatic", "selective to one receiver, go-back-n to several"),
            word("selective", "selective: only the missing spans"),
            word("go-back-n", "everything from the first gap on"),
            word("none", "no retransmission; losses remain"),
        ]),
        "XTP: retransmission policy.",
    )
    .default("\"automatic\"", REPORT),
    key("flow_control", Kind::Flag, "XTP: flow control; off sets NOFLOW, and the sender ignores the window.")
        .default("true", XTP),
    key(
        "status_requests",
        Kind::Word(&[
            word("after-packets", "every packets_per_request-th packet, and the last one the window or the data allow"),
            word("after-messages", "the last packet of each message; a message here is one packet"),
            word("never", "no requests; for flows without flow control and retransmission"),
        ]),
        "XTP: which data packets request an acknowledgement.",
    )
    .default("\"after-packets\"", REPORT),
    key(
        "packets_per_request",
        Kind::Integer(1, 1_000_000),
        "XTP: data packets per status request, with `after-packets`.",
    )
    .default("1", REPORT),
    key(
        "request_option",
        Kind::Word(&[
            word("status", "SREQ: acknowledged on receipt"),
            word("delivery", "DREQ: acknowledged when the data have been delivered"),
            word("edge", "toggled EDGE bit: acknowledged on receipt"),
        ]),
        "XTP: option bit of a status request.",
    )
    .default("\"status\"", ASSUMED),
    key("fast_nak", Kind::Flag, "XTP: FASTNAK; the receiver reports a gap at once, without a status request.")
        .default("false", XTP),
    key(
        "send_rate",
        Kind::QuantityOr(
            Dimension::BitRate,
            between("8 bit/s", "1 Gbit/s"),
            &[word("unlimited", "limited by window and host only")],
        ),
        "XTP: RATE; maximum rate of user data, averaged over bursts.",
    )
    .default("\"unlimited\"", XTP),
    key(
        "send_burst",
        Kind::QuantityOr(Dimension::Size, between("1 B", "1024 MiB"), &[word("packet", "the data of one packet")]),
        "XTP: BURST; user data sent back to back, once every send_burst / send_rate; a packet is never split.",
    )
    .default("\"packet\"", ASSUMED),
    key(
        "sort_priority",
        Kind::Integer(0, 65_535),
        "XTP: SORT; a host serves its associations lowest value first. Associations without a value come last.",
    )
    .optional(),
    key(
        "retry_count",
        Kind::Integer(0, 255),
        "XTP: unanswered status requests after which the association is aborted.",
    )
    .default("6", XTP),
    key("wtimer_min", time(between("1 µs", "1 h")), "XTP: minimum of WTIMER, the timeout of a status request.")
        .default("\"50 ms\"", ASSUMED),
    key(
        "checksum",
        Kind::Flag,
        "XTP: checksum over the data; off sets NOCHECK. Its cost is part of the hosts' per_byte.",
    )
    .default("true", XTP),
];
