//! Keys of a host: its medium access, its processor, its clock.

use super::super::common::{PROFILE, SOME_TIME, SPAN};
use super::super::{Key, Kind, between, key, time, word};
use super::{ASSUMED, REPORT, STANDARD};
use crate::keys::Word;
use crate::quantity::Dimension;

/// Fitted to the report's table of mean latencies and packet rates.
const FITTED: &str = "fitted to UVA TR-92-05, table 1";

/// How many frames of a class may leave on one token.
pub const DISCIPLINES: &[Word] = &[
    word("single-packet-per-token", "one frame for each token captured, as adapters do by default"),
    word("multiple-packets-per-token", "several, as long as timers and allocation permit"),
];

/// Time for synchronous frames on each token.
pub const ALLOCATION: Key = key(
    "synchronous_allocation",
    Kind::QuantityOr(
        Dimension::Time,
        between("0 s", "165 ms"),
        &[word(
            "shared",
            "an even share, among the stations that send synchronous frames, of what the synchronous rule leaves",
        )],
    ),
    "Time it may send synchronous frames on each token.",
)
.default("\"shared\"", STANDARD);

/// What its processor and adapter spend.
const COSTS: &[Key] = &[
    key("send_packet", time(SPAN), "Processor: a data packet sent.").default("\"1361 µs\"", FITTED),
    key("receive_packet", time(SPAN), "Processor: a data packet received.").default("\"1361 µs\"", FITTED),
    key("per_byte", time(SPAN), "Processor: each byte of user data, sent or received.")
        .default("\"0.5453 µs\"", FITTED),
    key("send_acknowledgement", time(SPAN), "Processor: a control packet made and sent.")
        .default("\"250 µs\"", ASSUMED),
    key("receive_acknowledgement", time(SPAN), "Processor: a control packet received.").default("\"773 µs\"", FITTED),
    key(
        "adapter_copy_per_byte",
        time(SPAN),
        "Adapter: copies a byte of user data between its memory and the host's, without the processor.",
    )
    .default("\"0.0288 µs\"", FITTED),
    key("long_packet", time(SPAN), "Processor: what a packet longer than long_packet_above takes more, on each side.")
        .default("\"0 s\"", ASSUMED),
    key(
        "long_packet_above",
        Kind::Quantity(Dimension::Size, between("0 B", "4495 B")),
        "User data that fits into the first buffer segment.",
    )
    .default("\"256 B\"", REPORT),
    key("multicast_send", time(SPAN), "Processor: what a data packet for several receivers takes more to send.")
        .default("\"0 s\"", ASSUMED),
    key("multicast_receive", time(SPAN), "Processor: what such a packet takes more to receive.")
        .default("\"0 s\"", ASSUMED),
    key("timer_interrupt", time(between("0 s", "1 s")), "Processor: a timer interrupt, which stops all other work.")
        .default("\"0 s\"", ASSUMED),
    key("discard", time(SPAN), "Processor: finds that a broadcast frame is for others.").default("\"250 µs\"", ASSUMED),
];

/// How much earliness a priority's frames need: T_Pri.
const fn threshold(name: &'static str) -> Key {
    key(name, time(between("0 s", "165 ms")), "Its frames begin while more than this is left of the token's earliness.")
        .default("\"0 s\"", STANDARD)
}

/// Asynchronous priorities, 7 the highest.
const PRIORITY_THRESHOLDS: &[Key] = &[
    threshold("priority_0"),
    threshold("priority_1"),
    threshold("priority_2"),
    threshold("priority_3"),
    threshold("priority_4"),
    threshold("priority_5"),
    threshold("priority_6"),
    threshold("priority_7"),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key("ttrt", time(SOME_TIME), "Target token rotation time it bids for, 4 ms to 165 ms; without it, the ring's.")
        .optional(),
    key("synchronous_discipline", Kind::Word(DISCIPLINES), "Synchronous frames on one token.")
        .default("\"single-packet-per-token\"", REPORT),
    key("asynchronous_discipline", Kind::Word(DISCIPLINES), "Asynchronous frames on one token.")
        .default("\"single-packet-per-token\"", REPORT),
    key("packets_per_token", Kind::Integer(1, 1_000_000), "The most frames of a class that are several.")
        .default("15", REPORT),
    ALLOCATION,
    key(
        "priority_thresholds",
        Kind::Table(PRIORITY_THRESHOLDS),
        "How early a token must be, for each asynchronous priority (T_Pri); higher thresholds keep a priority off a loaded ring.",
    )
    .default("{}", STANDARD),
    key("clock_tick", time(between("0 s", "1 s")), "Step in which its clock reads; 0 s: exact.")
        .default("\"81.3 µs\"", REPORT),
    key("timer_interval", time(SPAN), "From one timer interrupt of its operating system to the next; 0 s: none.")
        .default("\"0 s\"", ASSUMED),
    key(
        "acknowledges",
        Kind::Word(&[
            word("at-delivery", "the acknowledgement leaves with the delivery; the user acts before its cost is paid"),
            word("before-delivery", "the acknowledgement is made and sent, then the data are delivered"),
            word("after-user", "the user acts first, then the acknowledgement is made and sent"),
        ]),
        "When it acknowledges a data packet.",
    )
    .default("\"at-delivery\"", ASSUMED),
    key(
        "message_priority",
        Kind::Word(&[
            word("equal", "in the order of arrival with everything else"),
            word("lower", "only when nothing else waits"),
        ]),
        "How its processor serves the packets of messages.",
    )
    .default("\"equal\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "What its processor and adapter spend on each step.").default("{}", REPORT),
];
