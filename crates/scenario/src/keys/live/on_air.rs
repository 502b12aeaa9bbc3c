//! Keys of `[on_air]`: the radio station of this host.

use super::{DESIGN, group};
use crate::keys::{Key, Kind, Shape, TableKeys, above, key, time, word};

/// `[on_air]`: a station on a real radio channel.
pub const ON_AIR: TableKeys = TableKeys {
    name: "on_air",
    shape: Shape::One,
    keys: &[KEYS],
    help: "This host's station on the air: the first [[station]], with the parameters of its medium.",
};

const KEYS: &[Key] = &[
    key("callsign", Kind::Text, "The callsign you hold, with SSID; nothing is transmitted without it.")
        .optional()
        .live()
        .flag("callsign", group::RADIO),
    key("airtime", time(above("0 s", "60 s")), "Airtime limit per minute; nothing is transmitted without it.")
        .optional()
        .live()
        .flag("airtime", group::RADIO),
    key("identify", time(above("0 s", "200 day")), "Longest interval between identifications while transmitting.")
        .default("\"10 min\"", "47 CFR 97.119")
        .live()
        .flag("identify", group::RADIO),
    key(
        "probe",
        Kind::Word(&[
            word("ping-pong", "blocks to a station that returns them (`sojourn agent`)"),
            word("connect", "links set up and released"),
            word("test", "AX.25 TEST frames, which any version 2.2 station returns"),
            word("digipeater", "own UI frames heard back from a digipeater"),
            word("prompt", "links set up until a node's first text"),
        ]),
        "What is measured.",
    )
    .default("\"ping-pong\"", DESIGN)
    .live()
    .flag("probe", group::RADIO),
    key("via_node", Kind::Texts, "Commands to nodes on the path, one after the other, as \"C PONG-1\".")
        .optional()
        .live()
        .flag("via-node", group::RADIO),
];
