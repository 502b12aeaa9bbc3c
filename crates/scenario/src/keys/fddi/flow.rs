//! Keys of a flow, and of the `[voice]` shorthand that expands into one.

use super::super::common::{ARRIVALS, NAME, PROBE, SPAN};
use super::super::{Key, Kind, Target, Variant, between, key, word};
use super::{ASSUMED, REPORT, STANDARD};
use crate::keys::{Word, voice};
use crate::quantity::Dimension;

/// The ring's two service classes (ANSI X3.139).
pub const CLASSES: &[Word] = &[
    word("synchronous", "up to the station's allocation on every token"),
    word("asynchronous", "on early tokens only, until the token holding timer (THT) expires"),
];

/// Sender, receivers and kind of traffic.
pub const ENDS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "Sender; each member of a station with count sends independently."),
    key(
        "to",
        Kind::Names(Target::Station, &[word("none", "frames without a receiver, which load the ring and no host")]),
        "Receiver, list of receivers (multicast), or `none`.",
    ),
    key(
        "traffic",
        Kind::Word(&[
            word("voice", "packets of voice samples in real time"),
            word("bulk", "bulk transfer, as fast as transport and hosts allow"),
            word("messages", "messages at `arrivals`"),
        ]),
        "Traffic of the flow.",
    ),
    PROBE,
];

/// Keys of a voice flow.
pub const VOICE: &[Key] = &[
    key("samples", Kind::Integer(1, 65_535), "Voice: samples per packet; one byte each, one every 125 µs (G.711).")
        .label("Samples per packet")
        .default("128", REPORT),
    key("channels", Kind::Integer(1, 100_000), "Voice: simultaneous 64 kbit/s channels, one stream each.")
        .default("1", ASSUMED),
    key(
        "fifo_packets",
        Kind::Integer(1, 1_000_000),
        "Voice: depth of the codec FIFOs at both ends, in packets of `samples`.",
    )
    .default("2", ASSUMED),
    key(
        "playout_delay",
        Kind::QuantityOr(
            Dimension::Time,
            SPAN,
            &[word("half-packet", "half a packet time, the midpoint of a FIFO of two packets")],
        ),
        "Voice: playout delay: from the first delivery until the receiving codec takes its first sample.",
    )
    .default("\"half-packet\"", ASSUMED),
    key("codec", Kind::Word(CODECS), "Voice: rates each channel in real time (`mos`, `r_factor`); without it none is.")
        .optional(),
];

/// Codecs of 8000 samples of an octet a second.
const CODECS: &[Word] = &[voice::CODECS[0], voice::CODECS[1]];

/// Arrival processes of messages.
const MESSAGE_ARRIVALS: &[Variant] = &[ARRIVALS[0], ARRIVALS[1], ARRIVALS[2], ARRIVALS[3], ARRIVALS[4], ARRIVALS[5]];

/// Keys of bulk data and messages.
pub const MESSAGE: &[Key] = &[
    key("arrivals", Kind::Variants(MESSAGE_ARRIVALS), "Messages: arrival process.")
        .default("{ kind = \"poisson\", interval = \"10 ms\" }", ASSUMED),
    key("data", Kind::Quantity(Dimension::Size, between("1 B", "4495 B")), "Bulk and messages: user data per packet.")
        .default("\"1024 B\"", ASSUMED),
];

/// Transport protocol, service class and priority.
pub const TRANSPORT: &[Key] = &[
    key(
        "transport",
        Kind::Word(&[
            word("xtp", "XTP 4.0: acknowledged, with flow control and retransmission"),
            word("datagram", "unacknowledged datagrams, as over UDP"),
        ]),
        "Transport protocol.",
    )
    .default("\"xtp\"", REPORT),
    key("class", Kind::Word(CLASSES), "Service class of its frames and of their acknowledgements.")
        .default("\"synchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority; 7 is the highest.").default("0", STANDARD),
];
