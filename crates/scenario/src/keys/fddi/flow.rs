//! Keys of a flow, and of the voice shorthand that makes one.

use super::super::common::{ARRIVALS, NAME, PROBE, SPAN};
use super::super::{Key, Kind, Target, Variant, between, key, word};
use super::{ASSUMED, REPORT, STANDARD};
use crate::keys::Word;
use crate::quantity::Dimension;

/// Which of the ring's two classes.
pub const CLASSES: &[Word] = &[
    word("synchronous", "guaranteed on every token, up to the station's allocation"),
    word("asynchronous", "on early tokens, in the time they are early"),
];

/// Who sends what to whom.
pub const ENDS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The sender; of a station with count, each member on its own."),
    key(
        "to",
        Kind::Names(Target::Station, &[word("nobody", "frames without a receiver: load on the ring and on no host")]),
        "The receiver, a list of receivers (multicast), or `nobody`.",
    ),
    key(
        "traffic",
        Kind::Word(&[
            word("voice", "packets of samples in real time"),
            word("bulk", "as much as goes"),
            word("messages", "messages at `arrivals`"),
        ]),
        "What it sends.",
    ),
    PROBE,
];

/// Keys of voice.
pub const VOICE: &[Key] = &[
    key("samples", Kind::Integer(1, 65_535), "Voice: samples in a packet, one byte every 125 µs each.").label("Samples per packet")
        .default("128", REPORT),
    key("channels", Kind::Integer(1, 100_000), "Voice: simultaneous channels of 64 kbit/s, each a stream of its own.")
        .default("1", ASSUMED),
    key(
        "fifo_packets",
        Kind::Integer(1, 1_000_000),
        "Voice: depth of the converters' FIFOs at both ends, in packets of `samples`.",
    )
    .default("2", ASSUMED),
    key(
        "start_up",
        Kind::QuantityOr(
            Dimension::Time,
            SPAN,
            &[word("half-packet", "half the time of a packet: with room for two, as far from empty as from full")],
        ),
        "Voice: from the first delivery until the receiving converter takes its first sample; all that later packets may be late.",
    )
    .default("\"half-packet\"", ASSUMED),
];

/// The arrivals that messages have.
const MESSAGE_ARRIVALS: &[Variant] = &[ARRIVALS[0], ARRIVALS[1], ARRIVALS[2], ARRIVALS[3], ARRIVALS[4], ARRIVALS[5]];

/// Keys of bulk data and messages.
pub const MESSAGE: &[Key] = &[
    key("arrivals", Kind::Variants(MESSAGE_ARRIVALS), "Messages: when they are handed over.")
        .default("{ kind = \"poisson\", interval = \"10 ms\" }", ASSUMED),
    key("data", Kind::Quantity(Dimension::Size, between("1 B", "4495 B")), "Bulk and messages: user data in a packet.")
        .default("\"1024 B\"", ASSUMED),
];

/// What carries it.
pub const TRANSPORT: &[Key] = &[
    key(
        "transport",
        Kind::Word(&[
            word("xtp", "XTP: acknowledged, flow controlled, repaired"),
            word("datagram", "sent once, never acknowledged, as over UDP"),
        ]),
        "The transport protocol.",
    )
    .default("\"xtp\"", REPORT),
    key("class", Kind::Word(CLASSES), "The ring's class of its frames and of their acknowledgements.")
        .default("\"synchronous\"", REPORT),
    key("priority", Kind::Integer(0, 7), "Asynchronous priority, 7 is the highest.").default("0", STANDARD),
];
