//! Keys of a station: as a server, as a client, as the host of either, and as a gateway.

use super::{ASSUMED, SERIAL_LINE, TCP_GUIDE};
use sojourn_scenario::keys::common::{PROFILE, SOME_TIME, SPAN};
use sojourn_scenario::keys::laws::time_or_law;
use sojourn_scenario::keys::{Key, Kind, key, time};

/// How a program gets the characters that its line receives.
const HOST: &[Key] = &[
    key(
        "latency_timer",
        time(SPAN),
        "Latency timer of a USB adapter: the host gets received characters when it expires, up to this after the last of them.",
    )
    .default("\"0 s\"", ASSUMED),
    key("delay", time_or_law(SPAN), "From the host having a response until its program has it, or the distribution of that.")
        .default("\"0 s\"", ASSUMED),
];

/// The serial side of a gateway.
const GATEWAY: &[Key] = &[
    key("timeout", time(SOME_TIME), "Response timeout on the serial line; then the client gets exception 0x0b.")
        .default("\"1 s\"", SERIAL_LINE),
    key("retries", Kind::Integer(0, 20), "Retries on the serial line.").default("0", ASSUMED),
    key("queue", Kind::Integer(1, 10_000), "Requests that wait for the line; one more is refused by exception 0x06.")
        .default("32", ASSUMED),
    key("delay", time(SPAN), "Time to forward a response to the client.").default("\"0 s\"", ASSUMED),
    key("between", time(SPAN), "Pause on the serial line between the end of a transaction and the next.")
        .default("\"0 s\"", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key("unit", Kind::Integer(1, 247), "Unit identifier of a server; further members of `count` have the next ones.")
        .default("1", SERIAL_LINE),
    key(
        "delay",
        time_or_law(SPAN),
        "Of a server: from the end of a request, where the server knows it, to its response, or the distribution of that.",
    )
    .default("\"5 ms\"", ASSUMED),
    key("per_register", time(SPAN), "Of a server: further time for each register or each 16 bits that are read or written.")
        .default("\"0 s\"", ASSUMED),
    key(
        "scan",
        time(SPAN),
        "Scan cycle of a server that looks at its requests once in each: they wait for a time uniform between 0 and this.",
    )
    .default("\"0 s\"", ASSUMED),
    key("queue", Kind::Integer(1, 10_000), "Of a server on TCP: requests that wait; one more is refused by exception 0x06.")
        .default("16", ASSUMED),
    key(
        "outstanding",
        Kind::Integer(1, 64),
        "Of a client on TCP: requests that it has open at a time on a connection. On a serial line it is one.",
    )
    .default("1", TCP_GUIDE),
    key("host", Kind::Table(HOST), "How the program of a client or gateway gets what is received.").default("{}", ASSUMED),
    key("gateway", Kind::Table(GATEWAY), "Of a station on a serial line and on TCP.").default("{}", ASSUMED),
];
