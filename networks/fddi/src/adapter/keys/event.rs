//! Keys of `[[event]]`, and the actions that the network supports.

use sojourn_scenario::keys::event::{Action, Affects, HELP, SCHEDULE, SET, SETTINGS, SIZE, TABLE, action, words};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, Target, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 9] = [
    action(
        word(
            "power-down",
            "the adapter is off: what it holds and what the driver has for it is lost, and frames on the ring pass it by",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(
        word(
            "power-up",
            "it begins anew, and the driver posts all buffers; it is off from the start of the run if this is its first event",
        ),
        Affects::Stations,
        None,
    ),
    action(word("restart", "off and on at once, as after a watchdog reset"), Affects::Stations, None),
    action(
        word("down", "the ring is interrupted: frames on it are lost, and none comes or leaves"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the ring carries frames again; a token ring recovers by claim frames"), Affects::Media, None),
    action(word("start", "frames of the direction come"), Affects::Flows, Some("stop")),
    action(word("stop", "no more frames of the direction come"), Affects::Flows, Some("start")),
    Action {
        sized: true,
        ..action(
            word("burst", "`size` frames of the direction come at once, beside those of the load"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// `[[event]]` of an FDDI adapter.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[
            key("action", Kind::Word(&words(&ACTIONS)), "What happens."),
            key("stations", Kind::Names(Target::Station, &[word("adapter", "the adapter")]), "The station it affects.")
                .optional(),
            key("media", Kind::Names(Target::Medium, &[word("ring", "the network side")]), "The medium it affects.")
                .optional(),
            key(
                "flows",
                Kind::Names(
                    Target::Flow,
                    &[
                        word("receive", "frames from the ring to the host"),
                        word("transmit", "frames from the host to the ring"),
                    ],
                ),
                "The directions it affects.",
            )
            .optional(),
            SIZE,
            SETTINGS,
        ],
    ],
    help: HELP,
};
