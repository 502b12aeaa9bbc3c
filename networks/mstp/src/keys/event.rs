//! Keys of `[[event]]`, and the actions that the network supports.

use sojourn_scenario::keys::event::{
    Action, Affects, FLOWS, HELP, MEDIA, SCHEDULE, SET, SETTINGS, SIZE, SPREAD, START, STATIONS, STOP, TABLE, action,
    power, words,
};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 9] = [
    power(
        word("power-down", "stations are off; their requests, and frames in their queues, are lost"),
        Some("power-up"),
    ),
    power(
        word(
            "power-up",
            "they begin anew, with a successor to find; a station is off from the start of the run if this is its first event",
        ),
        None,
    ),
    power(word("restart", "off and on at once, as after a watchdog reset"), None),
    action(
        word("down", "the line is interrupted: no station receives a frame, on an IP network no packet"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "it carries frames again"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender sends `size` messages at once, beside those of the flow"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// `[[event]]` of MS/TP networks.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&ACTIONS)), "What happens."), STATIONS, SPREAD, MEDIA, FLOWS, SIZE, SETTINGS],
    ],
    help: HELP,
};
