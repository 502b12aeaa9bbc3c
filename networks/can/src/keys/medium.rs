//! Keys of a bus, or of an IP network between gateways.

use super::ASSUMED;
use sojourn_scenario::keys::common::{SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Keys of `[[medium]]` beside its name, and of `[bus]`.
pub const KEYS: &[Key] = &[
    key(
        "type",
        Kind::Word(&[
            word("bus", "a bus of ISO 11898-1"),
            word("ip", "an IP network: gateways on it send frames in datagrams to each other"),
        ]),
        "What kind of medium it is.",
    )
    .default("\"bus\"", ASSUMED),
    key("bit_rate", Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "1 Mbit/s")), "Nominal bit rate.")
        .default("\"500 kbit/s\"", ASSUMED),
    key(
        "data_bit_rate",
        Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "20 Mbit/s")),
        "Bit rate of the data phase of CAN FD frames with `brs`; by default the nominal one.",
    )
    .optional(),
    key(
        "stuffing",
        Kind::Word(&[
            word("exact", "the stuff bits that the payload of each flow has"),
            word("random", "those of random data, by the identifier and length of each flow"),
            word("worst", "as many as a frame can have, as analysis assumes"),
        ]),
        "Stuff bits of frames.",
    )
    .default("\"random\"", ASSUMED),
    key(
        "bit_error_rate",
        Kind::Number(between("0", "0.1")),
        "Bit error rate: each hit destroys a frame for all nodes.",
    )
    .default("0.0", ASSUMED)
    .changeable(),
    key(
        "fault_interval",
        time(SOME_TIME),
        "A fault hits the bus once in this time, in addition to bit errors; by default none does. Bounds hold with it.",
    )
    .optional(),
    key(
        "link_rate",
        Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "400 Gbit/s")),
        "IP network: bit rate of the link of each station.",
    )
    .default("\"100 Mbit/s\"", ASSUMED),
    key("delay", time(SPAN), "IP network: one-way delay.").default("\"500 us\"", ASSUMED),
    key(
        "collect",
        time(SPAN),
        "IP network: how long a gateway collects frames for a datagram, from the first on; 0 s sends each in one of its own. cannelloni collects for 100 ms by default.",
    )
    .default("\"0 s\"", ASSUMED),
];
