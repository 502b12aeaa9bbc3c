//! Keys of a ROSE switch.

use super::super::common::{SOME_TIME, SPAN};
use super::super::{Key, Kind, above, between, key, time, word};
use super::{ASSUMED, LINUX_ROSE};
use crate::quantity::Dimension;

/// The packet layer's own standards.
const X25: &str = "CCITT X.25 (1988)";
const ISO_8208: &str = "ISO 8208";
/// Why user frames are never cut.
const BENCHMARK: &str = "packet-radio benchmark (KP4DJT)";

/// What a switch sets of its X.25 packet layer.
const ROSE: &[Key] = &[
    key("address", Kind::Text, "Its network address, ten digits: DNIC (4), area code (3), exchange (3).")
        .default("\"0000000000\"", ASSUMED),
    key("window", Kind::Integer(1, 7), "Data packets of a virtual circuit without an acknowledgement on a link.")
        .default("7", LINUX_ROSE),
    key(
        "acknowledgement_delay",
        time(SPAN),
        "How long a data packet's acknowledgement is held back, unless the window is full.",
    )
    .default("\"5 s\"", LINUX_ROSE),
    key(
        "acknowledged_by",
        Kind::Word(&[
            word("next-switch", "the switch at the other end of the link, at once: each link has its own window"),
            word(
                "far-end",
                "the far end: a switch acknowledges what the next one or the user has acknowledged (D bit)",
            ),
        ]),
        "Who acknowledges data packets.",
    )
    .default("\"next-switch\"", X25),
    key(
        "packet_limit",
        Kind::Quantity(Dimension::Size, between("1 B", "4096 B")),
        "Octets of data in a packet; a user's longer frame is cut, with the M bit.",
    )
    .default("\"256 B\"", BENCHMARK),
    key(
        "backlog_limit",
        Kind::Integer(1, 65_535),
        "Packets of a circuit that may wait in one direction until their sender must hold on (RNR).",
    )
    .default("16", ASSUMED),
    key(
        "buffers",
        Kind::Integer(1, 65_535),
        "Packets and frames that the switch holds until no user may send (RNR); a TNC's 32 KiB hold about as many.",
    )
    .default("64", ASSUMED),
    key("channels", Kind::Integer(1, 4095), "The highest logical channel that is used on a link.")
        .default("50", LINUX_ROSE),
    key("restart_timer", time(SOME_TIME), "How long a link's restart may take (T20).").default("\"180 s\"", LINUX_ROSE),
    key("call_timer", time(SOME_TIME), "How long a call may take to be accepted (T21).")
        .default("\"200 s\"", LINUX_ROSE),
    key("reset_timer", time(SOME_TIME), "How long a reset may take (T22).").default("\"180 s\"", LINUX_ROSE),
    key("clear_timer", time(SOME_TIME), "How long a clearing may take (T23).").default("\"180 s\"", LINUX_ROSE),
    key(
        "window_timer",
        Kind::QuantityOr(Dimension::Time, above("0 s", "200 day"), &[word("never", "they may for ever")]),
        "How long data packets may go unacknowledged until their circuit is reset (T25).",
    )
    .default("\"200 s\"", ISO_8208),
    key("timer_tries", Kind::Integer(1, 255), "Times that a restart, reset or clear request is sent at all.")
        .default("2", X25),
    key("link_retry", time(SOME_TIME), "How long after a link to another switch has failed it is asked for again.")
        .default("\"120 s\"", LINUX_ROSE),
    key("progress", Kind::Flag, "Whether callers are told in words that their call is through, or why it is not.")
        .default("true", "ROSE X.25 Packet Switch user's manual (RATS)"),
];

/// Keys of a switch; stations of other types leave them alone.
pub const KEYS: &[Key] = &[key("rose", Kind::Table(ROSE), "Switch: its packet layer.").default("{}", LINUX_ROSE)];
