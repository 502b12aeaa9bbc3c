//! Keys of `[[event]]`, and the actions that the network supports.

use sojourn_scenario::keys::event::{
    Action, Affects, FLOWS, HELP, MEDIA, SCHEDULE, SET, SETTINGS, START, STATIONS, STOP, TABLE, action, words,
};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 7] = [
    action(
        word("down", "the links carry nothing: packets queued before them, being sent and to be sent are lost"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the links carry packets again"), Affects::Media, None),
    action(
        word(
            "power-down",
            "routers or switches are off: none of their links carries anything, and what they hold is lost",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(word("power-up", "they have power again"), Affects::Stations, None),
    START,
    STOP,
    SET,
];

/// `[[event]]` of IP networks and of switched LANs.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&ACTIONS)), "What happens."), STATIONS, MEDIA, FLOWS, SETTINGS],
    ],
    help: HELP,
};
