//! Keys of a flow's XTP association: what may be under way, what is asked, what is done again.

use super::super::{Key, Kind, between, key, time, word};
use super::{ASSUMED, REPORT};
use crate::quantity::Dimension;

/// The transport protocol's definition.
const XTP: &str = "XTP 4.0";

/// How an association behaves, at both ends.
pub const KEYS: &[Key] = &[
    key("window", Kind::Integer(1, 1_000_000), "XTP: packets that may be unacknowledged.").default("32", ASSUMED),
    key(
        "retransmission",
        Kind::Word(&[
            word("automatic", "selective to one receiver, go-back-n to several"),
            word("selective", "only what is missing"),
            word("go-back-n", "everything from the first that is missing"),
            word("none", "nothing: errors stay"),
        ]),
        "XTP: what is sent again after a loss.",
    )
    .default("\"automatic\"", REPORT),
    key("flow_control", Kind::Flag, "XTP: whether the sender heeds the window; without it, NOFLOW is set.")
        .default("true", XTP),
    key(
        "status_requests",
        Kind::Word(&[
            word("after-packets", "every packets_per_request-th packet, and the last that can be sent for now"),
            word("after-messages", "the last packet of each message; here every message is one packet"),
            word("never", "none; for flows without flow control and retransmission"),
        ]),
        "XTP: which data packets ask for an acknowledgement.",
    )
    .default("\"after-packets\"", REPORT),
    key("packets_per_request", Kind::Integer(1, 1_000_000), "XTP: data packets for each request after packets.")
        .default("1", REPORT),
    key(
        "request_option",
        Kind::Word(&[
            word("status", "SREQ: answered at once"),
            word("delivery", "DREQ: answered when the data have been delivered"),
            word("edge", "a toggle of EDGE: answered at once"),
        ]),
        "XTP: by which option they ask.",
    )
    .default("\"status\"", ASSUMED),
    key("fast_nak", Kind::Flag, "XTP: whether the receiver reports a gap at once, without being asked (FASTNAK).")
        .default("false", XTP),
    key(
        "send_rate",
        Kind::QuantityOr(
            Dimension::BitRate,
            between("8 bit/s", "1 Gbit/s"),
            &[word("unlimited", "as fast as window and host permit")],
        ),
        "XTP: user data that the sender lets out at most, averaged over bursts.",
    )
    .default("\"unlimited\"", XTP),
    key(
        "send_burst",
        Kind::QuantityOr(Dimension::Size, between("1 B", "1024 MiB"), &[word("packet", "the data of one packet")]),
        "XTP: user data sent back to back under send_rate, in every send_burst / send_rate; a packet once begun is sent whole.",
    )
    .default("\"packet\"", ASSUMED),
    key(
        "sort_priority",
        Kind::Integer(0, 65_535),
        "XTP: order in which a host serves its associations, lowest first (SORT); without it, after all that have one.",
    )
    .optional(),
    key("retry_count", Kind::Integer(0, 255), "XTP: unanswered repetitions of a question until an association is given up.")
        .default("6", XTP),
    key("wait_timer_minimum", time(between("1 µs", "1 h")), "XTP: the shortest wait for an acknowledgement (WTIMER).")
        .default("\"50 ms\"", ASSUMED),
    key(
        "checksum",
        Kind::Flag,
        "XTP: whether checksums cover the data, else NOCHECK is set; their cost is part of the hosts' per_byte.",
    )
    .default("true", XTP),
];
