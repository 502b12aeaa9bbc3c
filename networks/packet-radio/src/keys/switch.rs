//! Keys of a ROSE switch.

use super::{ASSUMED, LINUX_ROSE};
use sojourn_scenario::keys::common::{SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// The packet layer's standards.
const X25: &str = "CCITT X.25 (1988)";
const ISO_8208: &str = "ISO 8208";
/// Why user frames are never segmented.
const BENCHMARK: &str = "packet-radio benchmark (KP4DJT)";

/// Parameters of the X.25 packet layer.
const ROSE: &[Key] = &[
    key("address", Kind::Text, "Its network address, ten digits: DNIC (4), area code (3), exchange (3).")
        .default("\"0000000000\"", ASSUMED),
    key("window", Kind::Integer(1, 7), "Window size of a virtual circuit on a link, in data packets.")
        .default("7", LINUX_ROSE),
    key("ack_delay", time(SPAN), "Delay of a data packet's acknowledgement, unless the window is full.")
        .default("\"5 s\"", LINUX_ROSE),
    key(
        "acknowledged_by",
        Kind::Word(&[
            word("next-switch", "the next switch, at once: each link has its own window (local significance)"),
            word(
                "far-end",
                "the far end: a switch acknowledges what the next switch or the user has acknowledged (D bit)",
            ),
        ]),
        "Significance of acknowledgements.",
    )
    .default("\"next-switch\"", X25),
    key(
        "packet_size",
        Kind::Quantity(Dimension::Size, between("1 B", "4096 B")),
        "Octets of data in a packet; a longer user frame is segmented, with the M bit.",
    )
    .default("\"256 B\"", BENCHMARK),
    key(
        "backlog_limit",
        Kind::Integer(1, 65_535),
        "Queued packets of a circuit in one direction at which the switch sends RNR to the sender.",
    )
    .default("16", ASSUMED),
    key(
        "buffers",
        Kind::Integer(1, 65_535),
        "Packets and frames that the switch holds before it sends RNR to all users; a TNC's 32 KiB hold about as many.",
    )
    .default("64", ASSUMED),
    key("channels", Kind::Integer(1, 4095), "Highest logical channel number used on a link.").default("50", LINUX_ROSE),
    key("restart_timer", time(SOME_TIME), "Restart request timer (T20).").default("\"180 s\"", LINUX_ROSE),
    key("call_timer", time(SOME_TIME), "Call request timer (T21).").default("\"200 s\"", LINUX_ROSE),
    key("reset_timer", time(SOME_TIME), "Reset request timer (T22).").default("\"180 s\"", LINUX_ROSE),
    key("clear_timer", time(SOME_TIME), "Clear request timer (T23).").default("\"180 s\"", LINUX_ROSE),
    key(
        "window_timer",
        Kind::QuantityOr(Dimension::Time, above("0 s", "200 day"), &[word("never", "no limit")]),
        "Window rotation timer: how long data packets may be unacknowledged before the circuit is reset (T25).",
    )
    .default("\"200 s\"", ISO_8208),
    key("timer_tries", Kind::Integer(1, 255), "Transmissions of a restart, reset or clear request in all.")
        .default("2", X25),
    key("link_retry", time(SOME_TIME), "How long after a link to another switch has failed it is set up again.")
        .default("\"120 s\"", LINUX_ROSE),
    key("call_progress", Kind::Flag, "Whether callers are sent a text when their call connects or fails.")
        .default("true", "ROSE X.25 Packet Switch user's manual (RATS)"),
];

/// Keys of a switch; stations of other types ignore them.
pub const KEYS: &[Key] = &[key("rose", Kind::Table(ROSE), "Switch: its packet layer.").default("{}", LINUX_ROSE)];
