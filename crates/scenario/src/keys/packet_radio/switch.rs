//! Keys of a ROSE switch.

use super::super::common::{SOME_TIME, SPAN};
use super::super::{Key, Kind, key, time};
use super::{ASSUMED, LINUX_ROSE};

/// What a switch sets of its X.25 packet layer.
const ROSE: &[Key] = &[
    key("address", Kind::Text, "Its network address, ten digits: DNIC (4), area code (3), exchange (3).")
        .default("\"0000000000\"", ASSUMED),
    key("window", Kind::Integer(1, 7), "Data packets of a virtual circuit without an acknowledgement on a link.")
        .default("7", LINUX_ROSE),
    key(
        "acknowledgement_delay",
        time(SPAN),
        "How long a data packet's acknowledgement is held back, unless the window is full.",
    )
    .default("\"5 s\"", LINUX_ROSE),
    key("restart_timer", time(SOME_TIME), "How long a link's restart may take (T20).").default("\"180 s\"", LINUX_ROSE),
    key("call_timer", time(SOME_TIME), "How long a call may take to be accepted (T21).")
        .default("\"200 s\"", LINUX_ROSE),
    key("reset_timer", time(SOME_TIME), "How long a reset may take (T22).").default("\"180 s\"", LINUX_ROSE),
    key("clear_timer", time(SOME_TIME), "How long a clearing may take (T23).").default("\"180 s\"", LINUX_ROSE),
];

/// Keys of a switch; stations of other types leave them alone.
pub const KEYS: &[Key] = &[key("rose", Kind::Table(ROSE), "Switch: its packet layer.").default("{}", LINUX_ROSE)];
