//! Keys of a host: medium access, CPU costs, clock.

use super::{ASSUMED, REPORT, STANDARD};
use sojourn_scenario::keys::Word;
use sojourn_scenario::keys::common::{PROFILE, SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Fitted to the published mean latencies and packet rates.
const FITTED: &str = "fitted to UVA TR-92-05, table 1";

/// Frames of a class sent per captured token.
pub const DISCIPLINES: &[Word] = &[
    word("single-packet-per-token", "one frame per captured token, the default of adapters"),
    word("multiple-packets-per-token", "up to packets_per_token frames, within THT and allocation"),
];

/// Synchronous allocation of a station.
pub const ALLOCATION: Key = key(
    "synchronous_allocation",
    Kind::QuantityOr(
        Dimension::Time,
        between("0 s", "165 ms"),
        &[word("shared", "an equal share of the available synchronous time for each station with synchronous traffic")],
    ),
    "Synchronous allocation: time for synchronous frames per token.",
)
.default("\"shared\"", STANDARD);

/// CPU and adapter time per step.
const COSTS: &[Key] = &[
    key("send_packet", time(SPAN), "CPU time to send a data packet.").default("\"1361 µs\"", FITTED),
    key("receive_packet", time(SPAN), "CPU time to receive a data packet.").default("\"1361 µs\"", FITTED),
    key("per_byte", time(SPAN), "CPU time per byte of user data, sent or received.").default("\"0.5453 µs\"", FITTED),
    key("send_control", time(SPAN), "CPU time to build and send a control packet (CNTL).")
        .default("\"250 µs\"", ASSUMED),
    key("receive_control", time(SPAN), "CPU time to receive a control packet (CNTL).").default("\"773 µs\"", FITTED),
    key("adapter_copy_per_byte", time(SPAN), "Adapter DMA time per byte of user data; takes no CPU time.")
        .default("\"0.0288 µs\"", FITTED),
    key("long_packet", time(SPAN), "Extra CPU time, on each side, of a packet longer than long_packet_above.")
        .default("\"0 s\"", ASSUMED),
    key(
        "long_packet_above",
        Kind::Quantity(Dimension::Size, between("0 B", "4495 B")),
        "User data that fits into the first buffer segment.",
    )
    .default("\"256 B\"", REPORT),
    key("multicast_send", time(SPAN), "Extra CPU time to send a multicast packet.").default("\"0 s\"", ASSUMED),
    key("multicast_receive", time(SPAN), "Extra CPU time to receive a multicast packet.").default("\"0 s\"", ASSUMED),
    key(
        "timer_interrupt",
        time(between("0 s", "1 s")),
        "CPU time of a timer interrupt, which preempts all other work.",
    )
    .default("\"0 s\"", ASSUMED),
    key("discard", time(SPAN), "CPU time to discard a broadcast frame addressed to others.")
        .default("\"250 µs\"", ASSUMED),
];

/// T_Pri of one priority: the THT below which its frames wait.
const fn threshold(name: &'static str) -> Key {
    key(
        name,
        time(between("0 s", "165 ms")),
        "Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri).",
    )
    .default("\"0 s\"", STANDARD)
}

/// T_Pri of the eight asynchronous priorities; 7 is the highest.
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
    key("ttrt", time(SOME_TIME), "Target token rotation time (TTRT) it bids, 4 ms to 165 ms; the ring's if left out.")
        .optional(),
    key("synchronous_discipline", Kind::Word(DISCIPLINES), "Synchronous frames per token.")
        .default("\"single-packet-per-token\"", REPORT),
    key("asynchronous_discipline", Kind::Word(DISCIPLINES), "Asynchronous frames per token.")
        .default("\"single-packet-per-token\"", REPORT),
    key(
        "packets_per_token",
        Kind::Integer(1, 1_000_000),
        "Maximum frames of a class per token, with multiple-packets-per-token.",
    )
    .default("15", REPORT),
    ALLOCATION,
    key(
        "priority_thresholds",
        Kind::Table(PRIORITY_THRESHOLDS),
        "T_Pri of each asynchronous priority; a higher threshold keeps the priority off a loaded ring.",
    )
    .default("{}", STANDARD),
    key("clock_tick", time(between("0 s", "1 s")), "Resolution of its clock; 0 s: exact.")
        .default("\"81.3 µs\"", REPORT),
    key("timer_interval", time(SPAN), "Period of the operating system's timer interrupt; 0 s: none.")
        .default("\"0 s\"", ASSUMED),
    key(
        "acknowledges",
        Kind::Word(&[
            word(
                "at-delivery",
                "sent with the delivery; the application runs before the CPU time of the acknowledgement",
            ),
            word("before-delivery", "sent before the data are delivered"),
            word("after-user", "sent after the application has run"),
        ]),
        "When a data packet is acknowledged.",
    )
    .default("\"at-delivery\"", ASSUMED),
    key(
        "message_priority",
        Kind::Word(&[word("equal", "FIFO with all other work"), word("lower", "only when no other work waits")]),
        "CPU scheduling of message packets.",
    )
    .default("\"equal\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "CPU and adapter time of each step.").default("{}", REPORT),
];
