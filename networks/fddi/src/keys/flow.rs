//! Keys of a flow, and of the `[voice]` shorthand that expands into one.

use super::{ASSUMED, REPORT, STANDARD};
use sojourn_scenario::keys::common::{MESSAGE_ARRIVALS, NAME, PROBE, SPAN};
use sojourn_scenario::keys::{Bounds, Key, Kind, Target, above, between, key, time, word};
use sojourn_scenario::keys::{Word, voice};
use sojourn_scenario::quantity::Dimension;

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

/// Mean length of a talkspurt or a pause.
const LENGTH: Bounds = above("0 s", "1 h");

/// Keys of a voice flow.
pub const VOICE: &[Key] = &[
    key("samples", Kind::Integer(1, 65_535), "Voice: speech in a packet, in samples of 125 µs; of one byte each but with another codec.")
        .label("Samples per packet")
        .default("128", REPORT),
    key("channels", Kind::Integer(1, 100_000), "Voice: simultaneous channels, one stream each.")
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
    key(
        "codec",
        Kind::Word(voice::CODECS),
        "Voice: rates each channel in real time (`mos`, `r_factor`) and encodes its packets; without it they are G.711 and not rated.",
    )
    .optional(),
    key("speech", Kind::Word(voice::SPEECH), "Voice: when packets are sent; by default continuously.").optional(),
    key("talkspurt", time(LENGTH), "Talkspurts: mean length of one; by default 1.004 s (ITU-T P.59).").optional(),
    key("pause", time(LENGTH), "Talkspurts: mean length of a pause; by default 1.587 s (ITU-T P.59).").optional(),
    key(
        "jitter_buffer",
        Kind::Word(voice::JITTER_BUFFERS),
        "Voice: jitter buffer by which a codec's channels are rated; by default fixed.",
    )
    .optional(),
];

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
