//! Keys that stations of every type have: what it is, its address, whom it hears, what its processor spends.

use super::super::common::{PROFILE, SPAN};
use super::super::{Key, Kind, Target, key, time, word};
use super::ASSUMED;
use super::medium::OF_STATION;

const COSTS: &[Key] = &[
    key("receive_frame", time(SPAN), "Processor: a frame received that is for the station.")
        .default("\"0 s\"", ASSUMED),
    key("send_frame", time(SPAN), "Processor: information made into a frame, before it waits for the channel.")
        .default("\"0 s\"", ASSUMED),
    key("per_octet", time(SPAN), "Processor: each octet of information in such a frame.").default("\"0 s\"", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("terminal", "a PC on the serial line of a TNC"),
            word("digipeater", "repeats frames that name it"),
            word("node", "a NET/ROM node"),
            word("switch", "a ROSE switch"),
        ]),
        "What it is.",
    )
    .default("\"terminal\"", ASSUMED),
    key(
        "callsign",
        Kind::Text,
        "Its address: one to six letters and digits, and with a hyphen an SSID of 0 to 15; without it, ST and its place among all stations.",
    )
    .optional()
    .both(),
    key(
        "hears",
        Kind::Names(Target::Station, &[word("everyone", "all stations of its radio channels")]),
        "The stations it hears on its radio channels, or `everyone`; on a wire both ends always hear each other.",
    )
    .default("\"everyone\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "What its processor spends: one job at a time, in the order they come.").by(
        "type",
        &[
            ("terminal", "{ receive_frame = \"20 ms\" }"),
            ("digipeater", "{ receive_frame = \"20 ms\" }"),
            ("node", "{ receive_frame = \"30 ms\" }"),
            ("switch", "{ receive_frame = \"30 ms\" }"),
        ],
        ASSUMED,
    ),
    OF_STATION[0],
    OF_STATION[1],
    OF_STATION[2],
    OF_STATION[3],
    OF_STATION[4],
];
