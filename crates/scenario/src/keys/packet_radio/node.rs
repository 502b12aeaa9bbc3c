//! Keys of a NET/ROM node.

use super::super::common::{SOME_TIME, SPAN};
use super::super::{Key, Kind, between, key, time, word};
use super::{ASSUMED, THE_NET_NODE, X1J};
use crate::quantity::Dimension;

/// What a node sets of its layers 3 and 4. Numbers in brackets are those of the X-1J4's parameter list.
const NETROM: &[Key] = &[
    key("alias", Kind::Text, "Its alias, up to six letters and digits; without it, its callsign without SSID.")
        .optional(),
    key("window", Kind::Integer(1, 127), "Information messages of a circuit without an acknowledgement (13).")
        .default("4", X1J),
    key("time_out", time(SOME_TIME), "How long an acknowledgement of a circuit may take (9).")
        .default("\"180 s\"", X1J),
    key("tries", Kind::Integer(1, 255), "Times that a message is sent until its circuit is given up (10).")
        .default("3", X1J),
    key("tick", time(SPAN), "Step of the clock that its timers of circuits are read by; 0 s: exact.")
        .default("\"1 s\"", THE_NET_NODE),
    key("acknowledgement_delay", time(SPAN), "How long an acknowledgement of a circuit is held back (11).")
        .default("\"2 s\"", X1J),
    key(
        "acknowledgement_timer",
        Kind::Word(&[
            word("first", "runs from the first message that it acknowledges"),
            word("restart", "runs anew from each message in sequence"),
        ]),
        "From when the acknowledgement delay runs.",
    )
    .default("\"restart\"", THE_NET_NODE),
    key(
        "early_acknowledgement",
        Kind::Word(&[word("none", "never"), word("half", "at half a window"), word("full", "when the window is full")]),
        "When it acknowledges before the delay is over.",
    )
    .default("\"none\"", ASSUMED),
    key("busy_delay", time(SOME_TIME), "How long a choked circuit waits until it tries by itself (12).")
        .default("\"60 s\"", X1J),
    key(
        "congestion_threshold",
        Kind::Integer(1, 127),
        "Messages of a circuit or frames of a link that may queue before choke, RNR and admission act (14).",
    )
    .default("4", X1J),
    key(
        "choke",
        Kind::Word(&[
            word("never", "not at all"),
            word("at-threshold", "at once when more than the congestion threshold are not delivered"),
            word(
                "at-acknowledgement",
                "when the acknowledgement delay is over and more than half a window is not delivered",
            ),
        ]),
        "When a receiving node chokes a circuit.",
    )
    .default("\"at-threshold\"", X1J),
    key(
        "un_choke",
        Kind::Word(&[
            word("at-once", "as soon as less than half the threshold is left"),
            word("at-acknowledgement", "when the acknowledgement delay is over"),
        ]),
        "When it tells the other node to go on.",
    )
    .default("\"at-once\"", THE_NET_NODE),
    key(
        "choke_retreat",
        Kind::Flag,
        "Whether a choked sender takes all that is not acknowledged back and sends it again; else it only stops.",
    )
    .default("true", THE_NET_NODE),
    key(
        "choked_receiver_discards",
        Kind::Flag,
        "Whether a node that has choked a circuit discards what still arrives.",
    )
    .default("true", THE_NET_NODE),
    key("admission", Kind::Flag, "Whether a user's frame enters a circuit only below the congestion threshold.")
        .default("true", THE_NET_NODE),
    key("fragment", Kind::Quantity(Dimension::Size, between("1 B", "236 B")), "User data in one message of a circuit.")
        .default("\"236 B\"", X1J),
    key("sequence_modulus", Kind::Choice(&[128, 256]), "How a circuit's sequence numbers count.")
        .default("256", "Linux net/netrom"),
    key("time_to_live", Kind::Integer(1, 255), "Nodes that a packet may pass (8).").default("16", X1J),
    key("nodes_interval", time(SOME_TIME), "From one broadcast of its routes to the next (7).")
        .default("\"1800 s\"", X1J),
    key("obsolescence_initial", Kind::Integer(0, 255), "Broadcasts that a route outlives without news (5); 0: all.")
        .default("9", X1J),
    key("obsolescence_minimum", Kind::Integer(1, 255), "Below this a route is not broadcast (6).").default("5", X1J),
    key("minimum_quality", Kind::Integer(0, 255), "Below this a route is not taken up (2).").default("0", ASSUMED),
    key("radio_quality", Kind::Integer(0, 255), "Quality of neighbours heard on radio channels (3).")
        .default("60", X1J),
    key("wire_quality", Kind::Integer(0, 255), "Quality of neighbours heard on wires (4).").default("255", X1J),
];

/// Keys of a node; stations of other types leave them alone.
pub const KEYS: &[Key] = &[key("netrom", Kind::Table(NETROM), "Node: its layers 3 and 4.").default("{}", X1J)];
