//! Keys of a station's AX.25 links. The name that a TNC or the standard gives a parameter stands in brackets.

use super::{ASSUMED, STANDARD, THE_NET_NODE, TNC2};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Key, Kind, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Keys of the link layer: limits, timers, retransmission and flow control.
pub const KEYS: &[Key] = &[
    key(
        "version",
        Kind::Word(&[word("v2.0", "modulo 8, REJ"), word("v2.2", "modulo 128, SREJ, XID; falls back to 2.0")]),
        "AX.25 version.",
    )
    .default("\"v2.0\"", STANDARD)
    .both(),
    key(
        "paclen",
        Kind::Quantity(Dimension::Size, between("1 B", "8191 B")),
        "Terminal: octets of user data in an I frame that it sends (PACLEN); nodes and switches send what their layers produce.",
    ).label("PACLEN")
    .default("\"256 B\"", STANDARD)
    .both(),
    key(
        "receive_limit",
        Kind::Quantity(Dimension::Size, between("1 B", "8191 B")),
        "Largest information field that it accepts (N1); links between ROSE switches need 259 octets.",
    )
    .default("\"2048 B\"", ASSUMED)
    .both(),
    key("window", Kind::Integer(1, 127), "Window size: unacknowledged I frames in flight (MAXFRAME, k); up to 7 modulo 8.").label("Window (k)")
        .by("type", &[("terminal", "4"), ("digipeater", "4"), ("node", "7"), ("switch", "7")], TNC2)
        .both(),
    key("retry", Kind::Integer(1, 255), "Transmissions of a frame or poll before the link is disconnected (RETRY, N2).")
        .default("10", STANDARD)
        .both(),
    key(
        "frack",
        time(between("1 ms", "1 h")),
        "Acknowledgement timer (FRACK, T1) on a direct link; times 2m + 1 over m digipeaters.",
    ).label("Acknowledgement timer (T1)")
    .default("\"3 s\"", STANDARD)
    .both(),
    key(
        "frack_runs",
        Kind::Word(&[
            word("from-enqueue", "from when the frame is queued, waiting for the channel included"),
            word("from-transmit-end", "from the end of the burst"),
            word("while-channel-is-idle", "from when the frame is queued, paused while the channel is busy or the station transmits"),
        ]),
        "When the acknowledgement timer runs.",
    )
    .default("\"while-channel-is-idle\"", THE_NET_NODE),
    key(
        "rtt_estimator",
        Kind::Word(&[
            word("fixed", "none: T1 stays at FRACK"),
            word("dire-wolf", "T1 is twice the smoothed RTT, longer after retries"),
            word("linux", "T1 is twice the smoothed RTT"),
            word("linux-linear", "the same, with linear backoff"),
            word("linux-exponential", "the same, with exponential backoff"),
        ]),
        "How T1 adapts to the measured round-trip time (RTT).",
    )
    .default("\"fixed\"", TNC2)
    .both(),
    key(
        "resptime",
        time(SPAN),
        "Delay of an acknowledgement (RESPTIME, T2); with 0 s it waits for the channel alone.",
    ).label("Response delay (T2)")
    .default("\"0 s\"", ASSUMED)
    .both(),
    key("resptime_pauses", Kind::Flag, "Whether T2 is paused while the channel is busy.").default("false", ASSUMED),
    key(
        "check",
        Kind::QuantityOr(Dimension::Time, above("0 s", "200 day"), &[word("never", "idle links are not polled")]),
        "Idle time after which a link is polled (CHECK, T3).",
    )
    .default("\"300 s\"", "Dire Wolf")
    .both(),
    key(
        "reject",
        Kind::Word(&[
            word("go-back", "REJ: go back n"),
            word("selective", "SREJ: each missing frame"),
            word("multi-selective", "SREJ with a list"),
        ]),
        "How a version 2.2 link requests retransmission of missing I frames; version 2.0 uses REJ.",
    )
    .default("\"selective\"", STANDARD)
    .both(),
    key("xid", Kind::Flag, "Whether a version 2.2 link begins with XID negotiation.").default("true", STANDARD).both(),
    key(
        "sabme_reply",
        Kind::Word(&[word("frmr", "FRMR"), word("dm", "DM"), word("silent", "none")]),
        "Response of a version 2.0 station to SABME.",
    )
    .default("\"frmr\"", STANDARD),
    key(
        "recovery",
        Kind::Word(&[
            word("enquiry", "a supervisory poll; the response shows what is missing"),
            word("oldest-frame", "the oldest I frame with the P bit, as before version 2.0 (AX25L2V2 OFF)"),
        ]),
        "What a link sends when T1 expires.",
    )
    .default("\"enquiry\"", STANDARD)
    .both(),
    key(
        "busy_clear",
        Kind::Word(&[
            word("silent", "nothing: the peer polls"),
            word("rr", "RR"),
            word("poll", "RR with the P bit, repeated if lost"),
        ]),
        "What a station sends when its receiver-busy condition (RNR) ends.",
    )
    .default("\"rr\"", STANDARD),
    key("links", Kind::Integer(1, 65_535), "Maximum number of links on each of its media.").default("64", ASSUMED),
    key("digipeat", Kind::Flag, "Whether it repeats frames that list it as the next digipeater (DIGIPEAT).").by(
        "type",
        &[("terminal", "false"), ("digipeater", "true"), ("node", "false"), ("switch", "false")],
        TNC2,
    ),
    key(
        "aliases",
        Kind::Texts,
        "Addresses beside its callsign that it repeats frames for, as \"WIDE1-1\": every station with the alias that hears such a frame repeats it (MYALIAS).",
    )
    .optional(),
];
