//! Keys of `[[event]]`, and the actions that the network knows.

use sojourn_scenario::keys::event::{
    Action, Affects, FLOWS, HELP, SCHEDULE, SET, SETTINGS, SIZE, START, STATIONS, STOP, TABLE, action, words,
};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 6] = [
    action(
        word("down", "no server works; a service that it interrupts goes on afterwards (preemptive-resume)"),
        Affects::Stations,
        Some("up"),
    ),
    action(word("up", "the servers work again"), Affects::Stations, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(word("burst", "`size` customers arrive at once, beside those of the flow"), Affects::Flows, None)
    },
    SET,
];

/// `[[event]]` of queueing networks.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[SCHEDULE, &[key("action", Kind::Word(&words(&ACTIONS)), "What happens."), STATIONS, FLOWS, SIZE, SETTINGS]],
    help: HELP,
};
