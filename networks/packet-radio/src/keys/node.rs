//! Keys of a NET/ROM node.

use super::{ASSUMED, LINUX_NETROM, THE_NET_NODE, X1J};
use sojourn_scenario::keys::common::{SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Parameters of the network and transport layers. Numbers in brackets are those of the X-1J4 parameter list.
const NETROM: &[Key] = &[
    key("alias", Kind::Text, "Its alias, up to six letters and digits; by default its callsign without SSID.")
        .optional(),
    // network layer
    key("nodes_limit", Kind::Integer(1, 65_535), "Destinations in its routing table (1); X-1J4 allows up to 400.")
        .default("100", X1J),
    key("min_quality", Kind::Integer(0, 255), "Lowest route quality that it accepts (2); 0: it accepts no route.")
        .default("60", X1J),
    key("radio_quality", Kind::Integer(0, 255), "Quality of neighbours on radio channels (3).").default("60", X1J),
    key("wire_quality", Kind::Integer(0, 255), "Quality of neighbours on wires (4).").default("255", X1J),
    key(
        "obsolescence_initial",
        Kind::Integer(1, 255),
        "Obsolescence count of a route when it is updated; each of its own broadcasts lowers it by one (5).",
    )
    .default("9", X1J),
    key("obsolescence_minimum", Kind::Integer(1, 255), "Obsolescence count below which a route is not broadcast (6).")
        .default("5", X1J),
    key("nodes_interval", time(SPAN), "Interval of its NODES broadcasts (7); 0 s: none, and routes do not age.")
        .default("\"1800 s\"", X1J),
    key("ttl", Kind::Integer(1, 255), "Initial time to live of its packets, in hops (8).").default("16", X1J),
    key(
        "starts_converged",
        Kind::Flag,
        "Whether its routing table starts as the broadcasts of all such nodes would have filled it; else it starts empty.",
    )
    .default("true", ASSUMED),
    // transport layer
    key("timeout", time(SOME_TIME), "Retransmission timeout of a circuit (9).").default("\"180 s\"", X1J),
    key("retries", Kind::Integer(1, 127), "Retransmissions of a message before its circuit is closed (10).")
        .default("3", X1J),
    key("ack_delay", time(SPAN), "Delay of a circuit's acknowledgement (11).").label("Circuit acknowledgement delay").default("\"2 s\"", X1J),
    key(
        "ack_delay_runs",
        Kind::Word(&[
            word("first", "from the first message that it acknowledges"),
            word("restart", "restarts with each message received in sequence"),
        ]),
        "When the acknowledgement delay runs.",
    )
    .default("\"restart\"", THE_NET_NODE),
    key(
        "ack_delay_grows",
        Kind::Flag,
        "Whether each undelivered message beyond half a window lengthens the acknowledgement delay by one delay.",
    )
    .default("false", ASSUMED),
    key(
        "early_ack",
        Kind::Word(&[word("none", "never"), word("half", "at half a window"), word("full", "when the window is full")]),
        "When it acknowledges before the delay expires.",
    )
    .default("\"none\"", ASSUMED),
    key("tick", time(SPAN), "Granularity of its circuits' timers; 0 s: exact.").default("\"1 s\"", THE_NET_NODE),
    key("busy_delay", time(SOME_TIME), "How long a choked circuit waits before it retransmits (12).")
        .default("\"60 s\"", X1J),
    key("window", Kind::Integer(1, 127), "Window size of a circuit in information messages (13).").label("Circuit window").default("4", X1J),
    key(
        "congestion_threshold",
        Kind::Integer(1, 127),
        "Queued messages of a circuit, or frames of a link, above which choke, RNR and admission act (14).",
    )
    .default("4", X1J),
    key("no_activity", time(SPAN), "Idle time after which a circuit is closed (15); 0 s: never.")
        .default("\"900 s\"", X1J),
    key(
        "choke",
        Kind::Word(&[
            word("never", "no choke"),
            word("at-threshold", "immediately when more than the congestion threshold are undelivered"),
            word("with-ack", "at that point too, but signalled with the next acknowledgement"),
            word(
                "at-ack",
                "when the acknowledgement delay expires, if a full window awaits it and more than half a window is undelivered",
            ),
        ]),
        "When a receiving node chokes a circuit.",
    )
    .default("\"at-threshold\"", X1J),
    key(
        "choke_threshold",
        Kind::Integer(0, 65_535),
        "Undelivered messages above which a node chokes; by default the congestion threshold, or half a window.",
    )
    .optional(),
    key(
        "release_threshold",
        Kind::Integer(1, 65_535),
        "Undelivered messages below which a node clears the choke; by default half of what chokes.",
    )
    .optional(),
    key(
        "unchoke",
        Kind::Word(&[
            word("at-once", "as soon as the queue is below the release threshold"),
            word("at-ack", "an acknowledgement delay after that"),
            word("every-second", "at the next check of the queue, once a second"),
        ]),
        "When it signals the sender to continue.",
    )
    .default("\"at-once\"", THE_NET_NODE),
    key(
        "choke_rewinds",
        Kind::Flag,
        "Whether a choked sender retransmits all unacknowledged messages afterwards; else it only pauses.",
    )
    .default("true", THE_NET_NODE),
    key(
        "choked_receiver_discards",
        Kind::Flag,
        "Whether a node that has choked a circuit discards messages that still arrive.",
    )
    .default("true", THE_NET_NODE),
    key(
        "admission",
        Kind::Flag,
        "Whether user data enter a circuit, or a user's link, only while it is below the congestion threshold.",
    )
    .default("true", THE_NET_NODE),
    key("fragment", Kind::Quantity(Dimension::Size, between("1 B", "236 B")), "User data in one message of a circuit.")
        .default("\"236 B\"", X1J),
    key("reassembles", Kind::Flag, "Whether the fragments of a frame are delivered to the user as one frame.")
        .default("true", LINUX_NETROM),
    key("sequence_modulus", Kind::Choice(&[128, 256]), "Modulus of a circuit's sequence numbers.")
        .default("256", LINUX_NETROM),
    key(
        "retransmits",
        Kind::Word(&[word("all", "all unacknowledged messages"), word("oldest", "the oldest message only")]),
        "What a circuit retransmits when its timeout expires.",
    )
    .default("\"all\"", LINUX_NETROM),
    key(
        "nak",
        Kind::Word(&[
            word("at-once", "when an out-of-order message arrives"),
            word("with-ack", "with the next acknowledgement"),
            word("never", "the sender's timeout recovers"),
        ]),
        "When it requests a missing message (NAK).",
    )
    .default("\"at-once\"", ASSUMED),
    key("keeps_out_of_order", Kind::Flag, "Whether it keeps messages received out of order.")
        .default("true", LINUX_NETROM),
    key("circuits", Kind::Integer(1, 255), "Maximum number of circuits.").default("20", ASSUMED),
    key("resets", Kind::Flag, "Whether it resets circuits that it does not know (G8PZT extension).")
        .default("false", LINUX_NETROM),
    // both layers
    key("buffers", Kind::Integer(4, 65_535), "Messages it can hold: 720 buffers of 32 octets, nine for a full one.")
        .default("80", X1J),
    key(
        "low_watermark",
        Kind::Integer(0, 65_535),
        "Free buffers below which it chokes all circuits and sends RNR on all links.",
    )
    .default("4", THE_NET_NODE),
    key("high_watermark", Kind::Integer(0, 65_535), "Free buffers above which it resumes.").default("7", THE_NET_NODE),
];

/// Keys of a node; stations of other types ignore them.
pub const KEYS: &[Key] =
    &[key("netrom", Kind::Table(NETROM), "Node: its network and transport layers.").default("{}", X1J)];
