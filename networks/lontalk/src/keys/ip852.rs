//! Keys of a channel that carries LonTalk packets over an IP network (ANSI/CTA-852, EN 14908-4).

use super::ASSUMED;
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::laws::time_or_law;
use sojourn_scenario::keys::{Key, Kind, between, key, time};
use sojourn_scenario::quantity::Dimension;

/// The channel's word in `channel`.
pub const CHANNEL: &str = "IP-852";

const I_LON: &str = "Echelon, i.LON 600 User's Guide, Table 12: at most 64 ms";
const ETHERNET: &str = "IEEE 802.3: preamble, header, FCS and interframe gap";

/// A key that only such a channel has.
const fn of_ip(key: Key, default: &'static [(&'static str, &'static str)], source: &'static str) -> Key {
    key.by("channel", default, source)
}

/// Keys of `[[medium]]` and of `[channel]` that only such a channel has.
pub const KEYS: &[Key] = &[
    of_ip(
        key(
            "access_rate",
            Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "1000 Gbit/s")),
            "IP-852: bit rate at which each member sends to the IP network.",
        ),
        &[(CHANNEL, "\"100 Mbit/s\"")],
        ASSUMED,
    ),
    of_ip(
        key(
            "framing_overhead",
            Kind::Quantity(Dimension::Size, between("0 B", "1000 B")),
            "IP-852: bytes per datagram on a member's link in addition to the IP packet.",
        ),
        &[(CHANNEL, "\"38 B\"")],
        ETHERNET,
    ),
    of_ip(
        key("delay", time(SPAN), "IP-852: one-way delay of the IP network between any two members.").changeable(),
        &[(CHANNEL, "\"1 ms\"")],
        ASSUMED,
    ),
    of_ip(
        key(
            "jitter",
            time_or_law(SPAN),
            "IP-852: uniform random delay up to this, added to the delay of each datagram, or its distribution.",
        )
        .changeable(),
        &[(CHANNEL, "\"0 s\"")],
        ASSUMED,
    ),
    of_ip(
        key("reordering", Kind::Flag, "IP-852: whether jitter reorders datagrams of one member to another."),
        &[(CHANNEL, "true")],
        ASSUMED,
    ),
    of_ip(
        key(
            "loss",
            Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
            "IP-852: probability that the IP network loses a datagram, independent.",
        )
        .changeable(),
        &[(CHANNEL, "\"0 %\"")],
        ASSUMED,
    ),
    of_ip(
        key(
            "escrow_time",
            time(between("0 s", "255 ms")),
            "IP-852: how long a packet that arrives ahead of its sequence waits for those before it (packet reorder timer, escrow \
             timeout); 0: not at all. One that comes after its turn is discarded.",
        ),
        &[(CHANNEL, "\"64 ms\"")],
        I_LON,
    ),
    key(
        "channel_timeout",
        time(SPAN),
        "IP-852: age at which the receiving device discards a packet as stale; without it, none is. Clocks agree.",
    )
    .optional(),
];
