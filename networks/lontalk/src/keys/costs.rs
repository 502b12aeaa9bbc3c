//! CPU time that a node's processors spend on each step, at an input clock of 10 MHz.

use super::{ASSUMED, BULLETIN};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Key, Kind, between, key, time};
use sojourn_scenario::quantity::Dimension;

/// Fitted to the bulletin's light-load figures (experiments A to C).
const FITTED: &str = BULLETIN;

/// CPU times of a node, each for one step of sending or receiving.
pub const COSTS: &[Key] = &[
    key("send_call", time(SPAN), "Application processor: the call that sends a message.").default("\"1 ms\"", FITTED),
    key("form_packet", time(SPAN), "Network processor: forming an outgoing packet.").default("\"1.781 ms\"", FITTED),
    key("form_packet_per_byte", time(SPAN), "Network processor: forming it, per byte of data.")
        .default("\"19.67 µs\"", FITTED),
    key(
        "open_transaction",
        time(SPAN),
        "Network processor: opening the transmit record and transaction timer of an acknowledged message or request.",
    )
    .default("\"3 ms\"", FITTED),
    key(
        "open_receive_record",
        time(SPAN),
        "Network processor: receive record and duplicate detection of such a message.",
    )
    .default("\"3.5 ms\"", FITTED),
    key("deliver", time(SPAN), "Network processor: address recognition and application buffer of a received message.")
        .default("\"1.48 ms\"", FITTED),
    key("deliver_per_byte", time(SPAN), "Network processor: copying it, per byte of data.")
        .default("\"20 µs\"", FITTED),
    key(
        "application_latency",
        time(SPAN),
        "Application processor: from delivery to the task that handles the message.",
    )
    .default("\"0.93 ms\"", FITTED),
    key(
        "application_jitter",
        Kind::Quantity(Dimension::Fraction, between("0", "1")),
        "Half-width of the uniform jitter of the application latency.",
    )
    .default("\"10 %\"", ASSUMED),
    key("form_acknowledgement", time(SPAN), "Network processor: forming an acknowledgement.")
        .default("\"0.9 ms\"", FITTED),
    key(
        "complete_transaction",
        time(SPAN),
        "Network processor: processing an acknowledgement and the completion event.",
    )
    .default("\"2.28 ms\"", FITTED),
    key("application_copy_per_byte", time(SPAN), "Application processor: copying explicit message data, per byte.")
        .default("\"188 µs\"", FITTED),
    key(
        "network_variable_event",
        time(SPAN),
        "Application processor: extra time of a network variable update event over an explicit message.",
    )
    .default("\"0.8 ms\"", FITTED),
    key("authentication_pass", time(SPAN), "Network processor: one pass of 48 steps of the authentication transform.")
        .default("\"1.15 ms\"", ASSUMED),
    key("discard", time(SPAN), "Network processor: discarding a packet addressed to another node.")
        .default("\"0.7 ms\"", ASSUMED),
    key("forward", time(SPAN), "Router: forwarding a packet.").default("\"1.781 ms\"", ASSUMED),
    key("forward_per_byte", time(SPAN), "Router: forwarding it, per byte.").default("\"19.67 µs\"", ASSUMED),
];
