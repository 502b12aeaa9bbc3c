//! Keys of a NET/ROM node.

use super::super::common::{SOME_TIME, SPAN};
use super::super::{Key, Kind, between, key, time, word};
use super::{ASSUMED, LINUX_NETROM, THE_NET_NODE, X1J};
use crate::quantity::Dimension;

/// What a node sets of its layers 3 and 4. Numbers in brackets are those of the X-1J4's parameter list.
const NETROM: &[Key] = &[
    key("alias", Kind::Text, "Its alias, up to six letters and digits; without it, its callsign without SSID.")
        .optional(),
    // layer 3
    key("nodes_limit", Kind::Integer(1, 65_535), "Nodes in its routing table (1); X-1J4 takes up to 400.")
        .default("100", X1J),
    key("minimum_quality", Kind::Integer(0, 255), "Below this a route is not taken up (2); 0: none is.")
        .default("60", X1J),
    key("radio_quality", Kind::Integer(0, 255), "Quality of neighbours heard on radio channels (3).")
        .default("60", X1J),
    key("wire_quality", Kind::Integer(0, 255), "Quality of neighbours heard on wires (4).").default("255", X1J),
    key("obsolescence_initial", Kind::Integer(1, 255), "Broadcasts that a route outlives without news (5).")
        .default("9", X1J),
    key("obsolescence_minimum", Kind::Integer(1, 255), "Below this a route is not broadcast (6).").default("5", X1J),
    key("nodes_interval", time(SPAN), "From one broadcast of its routes to the next (7); 0 s: none, and none ages.")
        .default("\"1800 s\"", X1J),
    key("time_to_live", Kind::Integer(1, 255), "Nodes that a packet may pass (8).").default("16", X1J),
    key(
        "knows_routes",
        Kind::Flag,
        "Whether it begins with the routes that broadcasts of such nodes bring in time; else it has to hear them.",
    )
    .default("true", ASSUMED),
    // layer 4
    key("time_out", time(SOME_TIME), "How long an acknowledgement of a circuit may take (9).")
        .default("\"180 s\"", X1J),
    key("retries", Kind::Integer(1, 127), "Repetitions of a message until its circuit is given up (10).")
        .default("3", X1J),
    key("acknowledgement_delay", time(SPAN), "How long an acknowledgement of a circuit is held back (11).").label("Circuit acknowledgement delay")
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
        "acknowledgement_grows",
        Kind::Flag,
        "Whether messages not delivered, beyond half a window, lengthen the acknowledgement delay by one delay each.",
    )
    .default("false", ASSUMED),
    key(
        "early_acknowledgement",
        Kind::Word(&[word("none", "never"), word("half", "at half a window"), word("full", "when the window is full")]),
        "When it acknowledges before the delay is over.",
    )
    .default("\"none\"", ASSUMED),
    key("tick", time(SPAN), "Step of the clock that its timers of circuits are read by; 0 s: exact.")
        .default("\"1 s\"", THE_NET_NODE),
    key("busy_delay", time(SOME_TIME), "How long a choked circuit waits until it tries by itself (12).")
        .default("\"60 s\"", X1J),
    key("window", Kind::Integer(1, 127), "Information messages of a circuit without an acknowledgement (13).").label("Circuit window")
        .default("4", X1J),
    key(
        "congestion_threshold",
        Kind::Integer(1, 127),
        "Messages of a circuit or frames of a link that may queue before choke, RNR and admission act (14).",
    )
    .default("4", X1J),
    key("no_activity", time(SPAN), "How long a circuit without data lives (15); 0 s: for ever.")
        .default("\"900 s\"", X1J),
    key(
        "choke",
        Kind::Word(&[
            word("never", "not at all"),
            word("at-threshold", "at once when more than the congestion threshold are not delivered"),
            word("with-acknowledgement", "then too, but told with the next acknowledgement"),
            word(
                "at-acknowledgement",
                "when the acknowledgement delay is over, a window awaits it and more than half a window is not delivered",
            ),
        ]),
        "When a receiving node chokes a circuit.",
    )
    .default("\"at-threshold\"", X1J),
    key(
        "choke_threshold",
        Kind::Integer(0, 65_535),
        "Messages not delivered that choke when there are more; without it, the congestion threshold, or half a window.",
    )
    .optional(),
    key(
        "release_threshold",
        Kind::Integer(1, 65_535),
        "Messages not delivered that release when there are fewer; without it, half of what chokes.",
    )
    .optional(),
    key(
        "un_choke",
        Kind::Word(&[
            word("at-once", "as soon as few enough are left"),
            word("at-acknowledgement", "an acknowledgement delay after that"),
            word("every-second", "when a look at every second finds few enough"),
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
    key(
        "admission",
        Kind::Flag,
        "Whether a user's frame enters a circuit, or a user's link, only below the congestion threshold.",
    )
    .default("true", THE_NET_NODE),
    key("fragment", Kind::Quantity(Dimension::Size, between("1 B", "236 B")), "User data in one message of a circuit.")
        .default("\"236 B\"", X1J),
    key("joins_fragments", Kind::Flag, "Whether the messages of a frame that was cut go to the user as one frame.")
        .default("true", LINUX_NETROM),
    key("sequence_modulus", Kind::Choice(&[128, 256]), "How a circuit's sequence numbers count.")
        .default("256", LINUX_NETROM),
    key(
        "repeats",
        Kind::Word(&[word("all", "all that is not acknowledged"), word("oldest", "the oldest message alone")]),
        "What is sent again when an acknowledgement does not come.",
    )
    .default("\"all\"", LINUX_NETROM),
    key(
        "asks_for_missing",
        Kind::Word(&[
            word("at-once", "when a later message comes"),
            word("with-acknowledgement", "with the next acknowledgement"),
            word("never", "the sender's time-out finds out"),
        ]),
        "When a missing message is asked for (NAK).",
    )
    .default("\"at-once\"", ASSUMED),
    key("keeps_early", Kind::Flag, "Whether messages that come before their turn are kept.").default("true", LINUX_NETROM),
    key("circuits", Kind::Integer(1, 255), "Circuits at a time.").default("20", ASSUMED),
    key("resets", Kind::Flag, "Whether it answers messages of circuits that it does not know by a reset (G8PZT).")
        .default("false", LINUX_NETROM),
    // both
    key("buffers", Kind::Integer(4, 65_535), "Messages it can hold: 720 buffers of 32 octets, nine for a full one.")
        .default("80", X1J),
    key("few_buffers", Kind::Integer(0, 65_535), "With fewer left it chokes all circuits and stops all links (RNR).")
        .default("4", THE_NET_NODE),
    key("enough_buffers", Kind::Integer(0, 65_535), "With more left it lets them go on.").default("7", THE_NET_NODE),
];

/// Keys of a node; stations of other types leave them alone.
pub const KEYS: &[Key] = &[key("netrom", Kind::Table(NETROM), "Node: its layers 3 and 4.").default("{}", X1J)];
