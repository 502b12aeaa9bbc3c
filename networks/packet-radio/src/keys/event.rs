//! Keys of `[[event]]`, and the actions that the network supports.

use sojourn_scenario::keys::event::{
    Action, Affects, FLOWS, HELP, MEDIA, SCHEDULE, SET, SETTINGS, SIZE, SPREAD, START, STATIONS, STOP, TABLE, action,
    power, words,
};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 9] = [
    power(
        word(
            "power-down",
            "stations are off: AX.25 links, NET/ROM routes and circuits, ROSE calls and queued frames are lost",
        ),
        Some("power-up"),
    ),
    power(
        word("power-up", "they begin anew; a station is off from the start of the run if this is its first event"),
        None,
    ),
    power(word("restart", "off and on at once, as after a watchdog reset"), None),
    action(
        word("down", "no station receives a frame on the medium; carriers are detected all the same"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "frames are received again"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender sends `size` messages, or wants `size` sessions, at once"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// `[[event]]` of packet radio.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&ACTIONS)), "What happens."), STATIONS, SPREAD, MEDIA, FLOWS, SIZE, SETTINGS],
    ],
    help: HELP,
};
