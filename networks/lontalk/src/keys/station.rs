//! Keys of a node.

use super::costs::COSTS;
use super::flow::RECEIVE_CODES;
use super::{ASSUMED, BULLETIN, STANDARD};
use sojourn_scenario::keys::common::PROFILE;
use sojourn_scenario::keys::{Key, Kind, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// Buffer counts that the 4-bit code of a pool can express.
const COUNTS: &[u64] = &[0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191];

const BUFFERS: &[Key] = &[
    key("application_input", Kind::Choice(COUNTS), "Received messages that wait for the application.")
        .default("2", ASSUMED),
    key("application_output", Kind::Choice(COUNTS), "Messages that wait for the network processor.")
        .default("2", ASSUMED),
    key("application_output_priority", Kind::Choice(COUNTS), "Priority messages that wait for the network processor.")
        .default("1", ASSUMED),
    key("network_input", Kind::Choice(COUNTS), "Received packets that wait for the network processor.")
        .default("2", ASSUMED),
    key("network_output", Kind::Choice(COUNTS), "Packets that wait for the channel.").default("2", ASSUMED),
    key("network_output_priority", Kind::Choice(COUNTS), "Priority packets that wait for the channel.")
        .default("1", ASSUMED),
    key(
        "network_output_answers",
        Kind::Choice(COUNTS),
        "Packets waiting for the channel at which acknowledgements and responses are dropped.",
    )
    .default("191", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "input_clock",
        Kind::Quantity(Dimension::Frequency, between("0.625 MHz", "80 MHz")),
        "Input clock of the node; its costs scale inversely.",
    )
    .default("\"10 MHz\"", BULLETIN),
    key("collision_detection", Kind::Flag, "Whether its transceiver detects collisions of its own transmission.")
        .default("false", BULLETIN),
    key("priority_slot", Kind::Integer(0, 127), "Its priority slot, counted from 1; 0: none.").default("0", STANDARD),
    key(
        "router",
        Kind::Word(&[
            word("none", "an ordinary node"),
            word("configured", "forwards packets for subnets and groups on its other channels; several on the same channels are redundant"),
            word("learning", "learns from their sources which subnets its channels lead to; forwards packets for subnets that it has not heard, and for all groups"),
            word("repeater", "forwards every packet"),
            word("bridge", "forwards every packet of its domain: as a repeater, since all nodes are of one domain"),
        ]),
        "Whether it forwards packets between its channels.",
    )
    .default("\"none\"", STANDARD),
    key(
        "receive_timer",
        Kind::Code(&RECEIVE_CODES),
        "Receive timer of unicast messages: how long a receive record detects duplicates.",
    )
    .default("\"2048 ms\"", BULLETIN),
    key("receive_records", Kind::Integer(1, 65_535), "Number of receive records.").default("16", ASSUMED),
    key("buffers", Kind::Table(BUFFERS), "Buffer pools.").default("{}", ASSUMED),
    key("costs", Kind::Table(COSTS), "CPU time of each step at 10 MHz.").default("{}", BULLETIN),
];
