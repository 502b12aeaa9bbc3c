//! Keys of a host: what its processor spends, and its TCP.

use super::super::common::SPAN;
use super::super::{Bounds, Key, Kind, between, key, time, word};
use super::{ASSUMED, BSD};
use crate::quantity::Dimension;

const SHARE: Bounds = between("0 %", "100 %");
const A_TCP: &str = "RFC 5681, RFC 6298, RFC 6928, and Linux";

/// A share of what sending and receiving cost together.
const fn receive_share(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Fraction, SHARE), help)
}

/// What a workstation of the middle 1990s spends on a packet.
///
/// Sending and receiving are one key each with a share, since round trips determine only their sum.
pub const COSTS: &[Key] = &[
    key("packet", time(SPAN), "Processor: a packet with data, sending and receiving it together.")
        .default("\"280 µs\"", ASSUMED),
    receive_share("packet_receive_share", "Share of `packet` that receiving costs.")
        .default("\"60.7142857142857 %\"", ASSUMED),
    key("per_octet", time(SPAN), "Processor: each octet of a packet's data, sending and receiving it together.")
        .default("\"0.09 µs\"", ASSUMED),
    receive_share("per_octet_receive_share", "Share of `per_octet` and of `per_cluster` that receiving costs.")
        .default("\"50 %\"", ASSUMED),
    key(
        "per_cluster",
        time(SPAN),
        "Processor: each started 2048 octets of a packet's data, as buffers are counted, sending and receiving together.",
    )
    .default("\"0 s\"", ASSUMED),
    key("acknowledgement", time(SPAN), "Processor: a segment without data, sending and receiving it together.")
        .default("\"150 µs\"", ASSUMED),
    receive_share("acknowledgement_receive_share", "Share of `acknowledgement` that receiving costs.")
        .default("\"60 %\"", ASSUMED),
    key("receive_delay", time(SPAN), "From a packet's last bit to the interrupt that the adapter asks for.")
        .default("\"10 µs\"", ASSUMED),
    key(
        "adapter",
        Kind::Word(&[
            word("cut-through", "a packet goes out as it comes over the bus, and in the same way back"),
            word("store-and-forward", "it is copied whole over the bus first, at `bus_rate`, once on each side"),
        ]),
        "How the adapter moves packets between the host's memory and the link.",
    )
    .default("\"cut-through\"", ASSUMED),
    key(
        "bus_rate",
        Kind::Quantity(Dimension::BitRate, between("1 Mbit/s", "1000 Gbit/s")),
        "Bits per second between memory and adapter, where it stores packets; by default 32 bits at 25 MHz.",
    )
    .default("\"800 Mbit/s\"", "TURBOchannel"),
];

/// The keys of a host's TCP.
pub const TCP: &[Key] = &[
    key(
        "profile",
        Kind::Word(&[
            word("bsd95", "4.4BSD's Reno, with its ticks of 200 and 500 ms, as hosts of the middle 1990s had it"),
            word("modern", "CUBIC, selective acknowledgements and timestamps, as hosts of today have it"),
        ]),
        "What the other keys are by default.",
    )
    .default("\"bsd95\"", ASSUMED),
    key(
        "maximum_segment_size",
        Kind::Quantity(Dimension::Size, between("88 B", "65495 B")),
        "Octets of data in a segment, without options; by default what fits the link's MTU.",
    )
    .optional(),
    buffer("send_buffer", "Octets that are written and not acknowledged at most."),
    buffer("receive_buffer", "Octets that are received and not read at most: the window."),
    agreed("window_scaling", "Whether windows beyond 65 535 octets can be told (RFC 7323)."),
    agreed("timestamps", "Whether segments carry timestamps (RFC 7323)."),
    agreed("selective_acknowledgements", "Whether acknowledgements tell of what came out of order (RFC 2018)."),
    key(
        "congestion",
        Kind::Word(&[
            word("reno", "fast recovery ends with the first new acknowledgement"),
            word("newreno", "fast recovery ends when all that was under way is acknowledged (RFC 6582)"),
            word("cubic", "CUBIC (RFC 9438)"),
        ]),
        "How the congestion window moves.",
    )
    .by("profile", &[("bsd95", "\"reno\""), ("modern", "\"cubic\"")], A_TCP),
    key(
        "initial_window",
        Kind::Integer(1, 1_000_000),
        "Segments of the congestion window at first and after a silence; by default one (bsd95), or ten and at most 14 600 octets (modern).",
    )
    .optional(),
    key(
        "initial_threshold",
        Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")),
        "Congestion window up to which slow start goes at first; by default 65 535 octets (bsd95) or without end (modern).",
    )
    .optional(),
    key(
        "segments_per_acknowledgement",
        Kind::Choice(&[1, 2]),
        "Full segments in order that are acknowledged at once.",
    )
    .default("2", BSD),
    key(
        "acknowledgement_delay",
        time(between("0 s", "500 ms")),
        "Modern: how long an acknowledgement is held back; bsd95 waits for the next tick of 200 ms.",
    )
    .default("\"40 ms\"", A_TCP),
    key(
        "least_timeout",
        time(between("0 s", "60 s")),
        "Modern: the shortest retransmission timeout; bsd95 counts two ticks of 500 ms at least.",
    )
    .default("\"200 ms\"", A_TCP),
    key("nagle", Kind::Flag, "Whether a short segment waits while others are not acknowledged.").default("true", BSD),
];

const fn buffer(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")), help).by(
        "profile",
        &[("bsd95", "\"65535 B\""), ("modern", "\"4 MiB\"")],
        A_TCP,
    )
}

const fn agreed(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Flag, help).by("profile", &[("bsd95", "false"), ("modern", "true")], A_TCP)
}
