//! Keys of `[[event]]`, and the actions that the network supports.

use sojourn_scenario::keys::event::{
    Action, Affects, FLOWS, HELP, MEDIA, SCHEDULE, SET, SETTINGS, SIZE, START, STATIONS, STOP, TABLE, action, words,
};
use sojourn_scenario::keys::{Kind, Shape, TableKeys, key, word};

/// The actions that the network knows.
pub const ACTIONS: [Action; 9] = [
    action(
        word(
            "power-down",
            "stations are off and bypassed: XTP associations, buffers and queues are lost; the ring is interrupted for `bypass_time`",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(
        word(
            "power-up",
            "they enter the ring, which is interrupted again, and begin anew; a station is off from the start of the run if this is its first event",
        ),
        Affects::Stations,
        None,
    ),
    action(
        word("restart", "off and on at once, as after a watchdog reset; the ring is interrupted once"),
        Affects::Stations,
        None,
    ),
    action(
        word("down", "the ring is interrupted before its first station: what is on it is lost, and no token passes"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the ring carries light again, and recovers by claim frames"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender of messages sends `size` of them at once, beside those of the flow"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// `[[event]]` of FDDI.
pub const EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&ACTIONS)), "What happens."), STATIONS, MEDIA, FLOWS, SIZE, SETTINGS],
    ],
    help: HELP,
};
