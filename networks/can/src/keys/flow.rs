//! Keys of a flow.

use super::{ASSUMED, STANDARD};
use sojourn_scenario::keys::common::{ARRIVALS, NAME, PROBE, RECEIVERS, SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, Target, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const ISO_TP: &str = "ISO 15765-2";
const TRANSPORT: &str = "SAE J1939-21";

/// Keys of `[[flow]]`.
pub const KEYS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The sender; each member of a station with count has an identifier of its own.")
        .both(),
    key("to", Kind::Names(Target::Station, RECEIVERS), "The receiver, a list of receivers, `partner` or `everyone`.")
        .both(),
    key(
        "arrivals",
        Kind::Variants(ARRIVALS),
        "When messages are sent: periodic with jitter and an offset (`delay`), sporadic (`heartbeat` with a `min_interval`), random, by polls of one receiver after another, as recorded.",
    )
    .both(),
    PROBE,
    key(
        "id",
        Kind::Integer(0, 0x1fff_ffff),
        "Identifier, which is the priority: the lower wins. Further senders, and further receivers of polls, have those that follow, `id_step` apart.",
    ),
    key("id_step", Kind::Integer(0, 0x1fff_ffff), "From the identifier of one sender, or polled receiver, to that of the next.")
        .default("1", ASSUMED),
    key("extended", Kind::Flag, "Whether identifiers have 29 bits.").default("false", STANDARD),
    key(
        "response_id",
        Kind::Integer(0, 0x1fff_ffff),
        "Identifier of responses; by default as CANopen has it (80h less) of sdo and sdo-block, 8 more of isotp, uds and request, that of the message of others.",
    )
    .optional(),
    key("gateway_id", Kind::Integer(0, 0x1fff_ffff), "Identifier behind a gateway; by default it stays the same.")
        .optional(),
    key("fd", Kind::Flag, "Whether frames are CAN FD frames.").default("false", STANDARD),
    key("brs", Kind::Flag, "Whether CAN FD frames switch to `data_bit_rate`.").default("true", STANDARD),
    key(
        "data",
        Kind::Quantity(Dimension::Size, between("0 B", "4095 B")),
        "Data of a message: up to 8 bytes, 64 of CAN FD; of isotp, uds and sdo-block 4095, of j1939 1785, of sdo 1000.",
    )
    .label("Message data")
    .default("\"8 B\"", ASSUMED),
    key(
        "payload",
        Kind::Text,
        "What it is, with stuffing = \"exact\": counter or clock (its first 4 bytes count, or are as if random; the others are zero), random, or bytes in hexadecimal digits.",
    )
    .default("\"counter\"", ASSUMED),
    key(
        "service",
        Kind::Word(&[
            word("broadcast", "a data frame to all"),
            word("remote", "a remote frame, answered by the receiver with a data frame"),
            word("request", "a data frame, answered by the receiver with one of `response_data` bytes, as parameter groups of J1939 are asked for"),
            word("sdo", "CANopen: the sender reads `data` bytes of an object of the receiver (expedited, or in segments)"),
            word("sdo-block", "CANopen: the sender writes `data` bytes of an object of the receiver in blocks of segments, each block answered"),
            word("isotp", "ISO-TP: a message in frames with flow control by the receiver"),
            word("uds", "diagnosis: a request over ISO-TP, answered by the receiver with `response_data` bytes"),
            word("j1939", "J1939: the transport protocol, to one receiver with flow control (RTS/CTS), to several without (BAM)"),
        ]),
        "How messages are carried.",
    )
    .default("\"broadcast\"", ASSUMED),
    key(
        "response_data",
        Kind::Quantity(Dimension::Size, between("0 B", "4095 B")),
        "Data of an answer: of request up to 8 bytes, 64 of CAN FD; of uds 4095.",
    )
    .default("\"8 B\"", ASSUMED),
    key("deadline", time(SOME_TIME), "A message that takes longer misses its deadline; by default none is judged.").optional(),
    key("timeout", time(SOME_TIME), "How long an answer is waited for: of remote, request, sdo, sdo-block and uds; N_Bs and N_Cr of isotp and uds.")
        .default("\"1 s\"", "ISO 15765-2, table 14 (N_Bs, N_Cr: 1000 ms)"),
    key("retries", Kind::Integer(0, 15), "How often a message of a service other than broadcast is begun again.")
        .default("0", ASSUMED),
    key("block_size", Kind::Integer(0, 255), "isotp, uds: consecutive frames between two flow controls; 0: all. sdo-block: segments of a block; 0: 127.")
        .default("0", ISO_TP),
    key("separation", time(between("0 s", "127 ms")), "isotp, uds: shortest time between consecutive frames (STmin).")
        .default("\"0 s\"", ISO_TP),
    key("packet_interval", time(SPAN), "j1939 to several: time between packets, 50 to 200 ms.")
        .default("\"50 ms\"", TRANSPORT),
    key("window", Kind::Integer(1, 255), "j1939 to one: packets that the receiver takes at a time.")
        .default("16", ASSUMED),
];
