//! Keys of a station's AX.25 links. A TNC's own name for each stands in brackets.

use super::super::common::SPAN;
use super::super::{Key, Kind, above, between, key, time, word};
use super::{ASSUMED, STANDARD, THE_NET_NODE, TNC2};
use crate::quantity::Dimension;

/// What an AX.25 station sets.
pub const KEYS: &[Key] = &[
    key(
        "version",
        Kind::Word(&[word("v2.0", "modulo 8, REJ"), word("v2.2", "modulo 128, SREJ, XID; falls back to 2.0")]),
        "The version of AX.25 it speaks.",
    )
    .default("\"v2.0\"", STANDARD)
    .both(),
    key(
        "paclen",
        Kind::Quantity(Dimension::Size, between("1 B", "8191 B")),
        "Terminal: octets of user data in an I frame that it sends (PACLEN); nodes and switches send what their layers make.",
    ).label("PACLEN")
    .default("\"256 B\"", STANDARD)
    .both(),
    key(
        "receive_limit",
        Kind::Quantity(Dimension::Size, between("1 B", "8191 B")),
        "Octets of information in an I frame that it accepts (N1); links between ROSE switches need 259.",
    )
    .default("\"2048 B\"", ASSUMED)
    .both(),
    key("window", Kind::Integer(1, 127), "I frames sent without an acknowledgement (MAXFRAME, k); up to 7 modulo 8.").label("Window (k)")
        .by("type", &[("terminal", "4"), ("digipeater", "4"), ("node", "7"), ("switch", "7")], TNC2)
        .both(),
    key("tries", Kind::Integer(1, 255), "Times that a frame is sent or asked after until its link is given up (RETRY, N2).")
        .default("10", STANDARD)
        .both(),
    key(
        "acknowledgement_timer",
        time(between("1 ms", "1 h")),
        "How long an acknowledgement may take (FRACK, T1) between stations that hear each other; m digipeaters make it 2m + 1 times as long.",
    ).label("Acknowledgement timer (T1)")
    .default("\"3 s\"", STANDARD)
    .both(),
    key(
        "acknowledgement_timer_runs",
        Kind::Word(&[
            word("from-hand-over", "from when a frame is handed over, whatever it then waits for"),
            word("from-transmit-end", "from the end of the burst"),
            word("while-channel-is-idle", "from hand-over, standing still while the channel is busy or the station transmits"),
        ]),
        "When the acknowledgement timer runs.",
    )
    .default("\"while-channel-is-idle\"", THE_NET_NODE),
    key(
        "round_trip",
        Kind::Word(&[
            word("fixed", "not at all"),
            word("dire-wolf", "twice a moving mean, longer after failed tries"),
            word("linux", "twice a moving mean"),
            word("linux-linear", "the same, twice the mean more for each failed try"),
            word("linux-exponential", "the same, doubled for each failed try"),
        ]),
        "How the acknowledgement timer follows the round trips measured.",
    )
    .default("\"fixed\"", TNC2)
    .both(),
    key(
        "response_delay",
        time(SPAN),
        "How long an acknowledgement is held back (RESPTIME, T2); with 0 it waits for the channel alone.",
    ).label("Response delay (T2)")
    .default("\"0 s\"", ASSUMED)
    .both(),
    key("response_delay_pauses", Kind::Flag, "Whether the response delay stands still while the channel is busy.")
        .default("false", ASSUMED),
    key(
        "idle_timer",
        Kind::QuantityOr(Dimension::Time, above("0 s", "200 day"), &[word("never", "idle links are left alone")]),
        "How long a link may be silent before it is asked after (CHECK, T3).",
    )
    .default("\"300 s\"", "Dire Wolf")
    .both(),
    key(
        "reject",
        Kind::Word(&[
            word("go-back", "REJ: all from the missing one on"),
            word("selective", "SREJ: each missing one"),
            word("multi-selective", "SREJ with a list"),
        ]),
        "How missing I frames are asked for, where version 2.2 is spoken; else with REJ.",
    )
    .default("\"selective\"", STANDARD)
    .both(),
    key("negotiates", Kind::Flag, "Whether a link of version 2.2 begins with XID.").default("true", STANDARD).both(),
    key(
        "refuses_extended",
        Kind::Word(&[word("frmr", "with FRMR"), word("dm", "with DM"), word("silent", "not at all")]),
        "What a station of version 2.0 answers to SABME.",
    )
    .default("\"frmr\"", STANDARD),
    key(
        "recovery",
        Kind::Word(&[
            word("enquiry", "by a poll: the answer tells what is missing"),
            word("oldest-frame", "by the oldest I frame with a poll, as before version 2.0 (AX25L2V2 OFF)"),
        ]),
        "How a link is recovered when the acknowledgement timer expires.",
    )
    .default("\"enquiry\"", STANDARD)
    .both(),
    key(
        "busy_clear",
        Kind::Word(&[
            word("silent", "not at all: the peer learns it from its own polls"),
            word("rr", "with RR"),
            word("poll", "with RR that polls, so that its loss is noticed"),
        ]),
        "How it tells that it takes information again after RNR.",
    )
    .default("\"rr\"", STANDARD),
    key("links", Kind::Integer(1, 65_535), "Links it may have at a time, on each of its media.").default("64", ASSUMED),
    key("digipeats", Kind::Flag, "Whether it repeats frames that name it as their next digipeater (DIGIPEAT).").by(
        "type",
        &[("terminal", "false"), ("digipeater", "true"), ("node", "false"), ("switch", "false")],
        TNC2,
    ),
];
