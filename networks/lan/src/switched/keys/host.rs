//! Keys of a host: its CPU costs and its TCP.

use super::{ASSUMED, BSD};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Bounds, Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const SHARE: Bounds = between("0 %", "100 %");
const A_TCP: &str = "RFC 5681, RFC 6298, RFC 6928, and Linux";

/// A share of the cost of sending and receiving together.
const fn receive_share(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Fraction, SHARE), help)
}

/// Cost of a packet on a workstation of the mid-1990s.
///
/// Each cost is one key with a receive share, since round-trip times determine only the sum of sending and receiving.
pub const COSTS: &[Key] = &[
    key("packet", time(SPAN), "CPU time to send and receive a packet with data.").default("\"280 µs\"", ASSUMED),
    receive_share("packet_receive_share", "Share of `packet` spent on receiving.")
        .default("\"60.7142857142857 %\"", ASSUMED),
    key("per_byte", time(SPAN), "CPU time to send and receive a byte of a packet's data.")
        .default("\"0.09 µs\"", ASSUMED),
    receive_share("per_byte_receive_share", "Share of `per_byte` and of `per_cluster` spent on receiving.")
        .default("\"50 %\"", ASSUMED),
    key(
        "per_cluster",
        time(SPAN),
        "CPU time to send and receive each mbuf cluster of 2048 bytes, or part of one, of a packet's data.",
    )
    .default("\"0 s\"", ASSUMED),
    key("ack", time(SPAN), "CPU time to send and receive a segment without data, such as an acknowledgement.")
        .default("\"150 µs\"", ASSUMED),
    receive_share("ack_receive_share", "Share of `ack` spent on receiving.").default("\"60 %\"", ASSUMED),
    key("receive_delay", time(SPAN), "From a packet's last bit to the NIC's interrupt.").default("\"10 µs\"", ASSUMED),
    key(
        "adapter",
        Kind::Word(&[
            word("cut-through", "sends a packet while it is still copied over the bus, and likewise on receiving"),
            word("store-and-forward", "copies the whole packet over the bus at `bus_rate` first, on both sides"),
        ]),
        "How the NIC moves packets between the host's memory and the link.",
    )
    .default("\"cut-through\"", ASSUMED),
    key(
        "bus_rate",
        Kind::Quantity(Dimension::BitRate, between("1 Mbit/s", "1000 Gbit/s")),
        "Bus rate between memory and a store-and-forward NIC; by default 32 bits at 25 MHz.",
    )
    .default("\"800 Mbit/s\"", "TURBOchannel"),
];

/// The keys of a host's TCP.
pub const TCP: &[Key] = &[
    key(
        "profile",
        Kind::Word(&[
            word("bsd95", "4.4BSD's Reno with its 200 ms and 500 ms timers, as on hosts of the mid-1990s"),
            word("modern", "CUBIC, SACK and timestamps, as on today's hosts"),
        ]),
        "Parameter set from which the other keys take their defaults.",
    )
    .default("\"bsd95\"", ASSUMED),
    key(
        "mss",
        Kind::Quantity(Dimension::Size, between("88 B", "65495 B")),
        "Maximum segment size (MSS): data bytes of a segment without options; by default the path MTU less IP and TCP headers.",
    )
    .optional(),
    buffer("send_buffer", "Send buffer: bytes written and not yet acknowledged."),
    buffer("receive_buffer", "Receive buffer: bytes received and not yet read; bounds the advertised window."),
    option("window_scaling", "Window scale option: windows above 65 535 bytes (RFC 7323)."),
    option("timestamps", "Timestamps option (RFC 7323)."),
    option("sack", "Selective acknowledgements (RFC 2018)."),
    key(
        "congestion",
        Kind::Word(&[
            word("reno", "Reno: fast recovery ends at the first new acknowledgement"),
            word("newreno", "NewReno: fast recovery ends when all data in flight at its start are acknowledged (RFC 6582)"),
            word("cubic", "CUBIC (RFC 9438)"),
            word("dctcp", "DCTCP: reduces by half of the share of segments that was marked; asks for ECN (RFC 8257)"),
            word("prague", "TCP Prague: as DCTCP with ECT(1), pacing and rates that do not depend on short RTTs; asks for accurate ECN"),
            word("bbr", "BBR version 3: sends at the bandwidth that it measures, paced (draft-ietf-ccwg-bbr)"),
        ]),
        "Congestion control algorithm.",
    )
    .by("profile", &[("bsd95", "\"reno\""), ("modern", "\"cubic\"")], A_TCP),
    key(
        "ecn",
        Kind::Word(&[
            word("off", "neither asks for it nor accepts it"),
            word("passive", "accepts what the other end asks for"),
            word("classic", "asks for marks that count as losses (RFC 3168), and accepts no other"),
            word("accurate", "asks for a count of marks (RFC 9768), and accepts classic ECN"),
        ]),
        "Explicit congestion notification (ECN): whether queues may mark this end's data in place of drops; one end that asks is enough. By default off (bsd95) or passive (modern), and accurate with `congestion` dctcp or prague. DCTCP with classic ECN needs DCTCP at both ends.",
    )
    .optional(),
    key(
        "abe",
        Kind::Flag,
        "Alternative backoff with ECN: marks reduce cwnd to 80 % (Reno) or 85 % (CUBIC), not as losses do.",
    )
    .default("false", "RFC 8511"),
    key(
        "recovery",
        Kind::Word(&[
            word("sack", "duplicate ACKs, or three segments above a gap (RFC 5681, RFC 6675)"),
            word("rack", "times of segments, tail loss probes (RACK-TLP, RFC 8985) and proportional rate reduction (PRR, RFC 9937), as in Linux; needs `sack`"),
        ]),
        "How losses are detected and recovered from; `congestion` bbr always has `rack`.",
    )
    .default("\"sack\"", A_TCP),
    key(
        "pacing",
        Kind::Flag,
        "Segments leave at a rate: 200 % of cwnd in a round trip of slow start, then 120 % (prague: 100 %), as with Linux's fq. By default only with `congestion` prague; always with bbr.",
    )
    .optional(),
    key(
        "initial_cwnd",
        Kind::Integer(1, 1_000_000),
        "Initial congestion window (cwnd), also after an idle period, segments; by default 1 (bsd95), or 10 and at most 14 600 bytes (modern).",
    )
    .optional(),
    key(
        "initial_ssthresh",
        Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")),
        "Initial slow-start threshold (ssthresh); by default 65 535 bytes (bsd95) or unlimited (modern).",
    )
    .optional(),
    key(
        "ack_every",
        Kind::Choice(&[1, 2]),
        "An ACK is sent for every this many full-sized segments received in order.",
    )
    .default("2", BSD),
    key(
        "delayed_ack",
        time(between("0 s", "500 ms")),
        "Modern: delayed-ACK timeout; bsd95 uses its 200 ms timer.",
    )
    .default("\"40 ms\"", A_TCP),
    key(
        "min_rto",
        time(between("0 s", "60 s")),
        "Modern: least margin of the retransmission timeout (RTO) over SRTT, the floor of 4 RTTVAR; the RTO of bsd95 is at least two ticks of 500 ms.",
    )
    .default("\"200 ms\"", "Linux: TCP_RTO_MIN, tcp_rtt_estimator()"),
    key("nagle", Kind::Flag, "Nagle's algorithm: a short segment waits while data are unacknowledged (RFC 896).").default("true", BSD),
];

const fn buffer(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")), help).by(
        "profile",
        &[("bsd95", "\"65535 B\""), ("modern", "\"4 MiB\"")],
        A_TCP,
    )
}

const fn option(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Flag, help).by("profile", &[("bsd95", "false"), ("modern", "true")], A_TCP)
}
