//! Keys of a trunk or an IP network.

use super::{ASSUMED, BACNET_STACK, STANDARD};
use sojourn_scenario::keys::common::{PROFILE, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Keys of `[[medium]]` beside its name, and of `[trunk]`.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("ms-tp", "an RS-485 trunk, characters of 10 bits"),
            word("ip", "an IP network (BACnet/IP): each station sends on a link of its own, all reach each other"),
        ]),
        "What kind of medium it is.",
    )
    .default("\"ms-tp\"", ASSUMED),
    key(
        "bit_rate",
        Kind::Quantity(Dimension::BitRate, between("1200 bit/s", "10 Gbit/s")),
        "Bit rate: of a trunk 9600, 19200, 38400, 57600, 76800 or 115200 bit/s, of an IP network that of the links.",
    )
    .by("type", &[("ms-tp", "\"38400 bit/s\""), ("ip", "\"100 Mbit/s\"")], BACNET_STACK),
    key("bit_error_rate", Kind::Number(between("0", "0.1")), "Trunk: bit error rate.")
        .default("0.0", ASSUMED)
        .changeable(),
    key(
        "turnaround",
        Kind::Quantity(Dimension::Bits, between("0 bit", "10000 bit")),
        "Trunk: silence before a node enables its driver (T_turnaround), at least 40 bit times.",
    )
    .default("\"40 bit\"", STANDARD),
    key(
        "frame_gap",
        Kind::Quantity(Dimension::Bits, between("0 bit", "20 bit")),
        "Trunk: silence between the characters of a frame (T_frame_gap), at most 20 bit times.",
    )
    .default("\"0 bit\"", ASSUMED),
    key(
        "postdrive",
        Kind::Quantity(Dimension::Bits, between("0 bit", "10000 bit")),
        "Trunk: how long drivers stay enabled after the last stop bit (T_postdrive), at most 15 bit times.",
    )
    .default("\"0 bit\"", ASSUMED),
    key("delay", time(SPAN), "IP network: one-way delay.").default("\"500 us\"", ASSUMED).changeable(),
];
