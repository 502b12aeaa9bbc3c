//! Keys of a node.

use super::super::common::PROFILE;
use super::super::{Key, Kind, between, key, word};
use super::costs::COSTS;
use super::flow::RECEIVE_CODES;
use super::{ASSUMED, BULLETIN, STANDARD};
use crate::quantity::Dimension;

/// Counts a buffer pool can have: what its 4-bit code can say.
const COUNTS: &[u64] = &[0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191];

const BUFFERS: &[Key] = &[
    key("application_input", Kind::Choice(COUNTS), "Messages delivered that the application has not taken yet.")
        .default("2", ASSUMED),
    key(
        "application_output",
        Kind::Choice(COUNTS),
        "Ordinary messages from the application that wait for the network processor.",
    )
    .default("2", ASSUMED),
    key("application_output_priority", Kind::Choice(COUNTS), "The same for priority messages.").default("1", ASSUMED),
    key("network_input", Kind::Choice(COUNTS), "Packets received that the network processor has not taken yet.")
        .default("2", ASSUMED),
    key("network_output", Kind::Choice(COUNTS), "Ordinary packets that wait for the channel.").default("2", ASSUMED),
    key("network_output_priority", Kind::Choice(COUNTS), "Priority packets that wait for the channel.")
        .default("1", ASSUMED),
    key(
        "network_output_answers",
        Kind::Choice(COUNTS),
        "Packets that wait for the channel from which on an acknowledgement or other answer is not sent.",
    )
    .default("191", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "input_clock",
        Kind::Quantity(Dimension::Frequency, between("0.625 MHz", "80 MHz")),
        "Input clock of the node; all its costs scale with it.",
    )
    .default("\"10 MHz\"", BULLETIN),
    key("collision_detection", Kind::Flag, "Whether it notices that its own transmission collides.")
        .default("false", BULLETIN),
    key("priority_slot", Kind::Integer(0, 127), "Its priority slot, 1 is the first; 0: it has none.")
        .default("0", STANDARD),
    key(
        "router",
        Kind::Word(&[
            word("none", "an ordinary node"),
            word("configured", "forwards what somebody on its other channels waits for"),
            word("repeater", "forwards every packet"),
        ]),
        "Whether it forwards packets between its channels.",
    )
    .default("\"none\"", STANDARD),
    key(
        "receive_timer",
        Kind::Code(&RECEIVE_CODES),
        "How long it remembers a transaction from a message sent to it alone.",
    )
    .default("\"2048 ms\"", BULLETIN),
    key("receive_records", Kind::Integer(1, 65_535), "Incoming transactions it can remember at once.")
        .default("16", ASSUMED),
    key("buffers", Kind::Table(BUFFERS), "Its buffer pools.").default("{}", ASSUMED),
    key("costs", Kind::Table(COSTS), "What its processors spend on each step, at 10 MHz.").default("{}", BULLETIN),
];
