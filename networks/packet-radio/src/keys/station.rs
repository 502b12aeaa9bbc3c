//! Keys of stations of every type: type, address, which stations it hears, processing costs.

use super::ASSUMED;
use super::medium::OF_STATION;
use sojourn_scenario::keys::common::{PROFILE, SPAN};
use sojourn_scenario::keys::{Key, Kind, Target, key, time, word};

const COSTS: &[Key] = &[
    key("receive_frame", time(SPAN), "CPU time per frame received for the station.").default("\"0 s\"", ASSUMED),
    key("send_frame", time(SPAN), "CPU time to form a frame, before it waits for the channel.")
        .default("\"0 s\"", ASSUMED),
    key("per_octet", time(SPAN), "CPU time per octet of information in such a frame.").default("\"0 s\"", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("terminal", "a PC on the serial line of a TNC"),
            word("digipeater", "repeats frames addressed through it"),
            word("node", "a NET/ROM node"),
            word("switch", "a ROSE switch"),
        ]),
        "The type of station.",
    )
    .default("\"terminal\"", ASSUMED),
    key(
        "callsign",
        Kind::Text,
        "Its address: one to six letters and digits, and with a hyphen an SSID of 0 to 15; by default ST and its number among all stations.",
    )
    .optional()
    .both(),
    key(
        "hears",
        Kind::Names(Target::Station, &[word("everyone", "all stations on its radio channels")]),
        "The stations it hears on its radio channels, or `everyone`; others are hidden. On a wire both ends always hear each other.",
    )
    .default("\"everyone\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "CPU time per frame; the CPU serves one frame at a time, FIFO.").by(
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
    OF_STATION[5],
    OF_STATION[6],
    OF_STATION[7],
    OF_STATION[8],
];
