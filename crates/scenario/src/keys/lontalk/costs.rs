//! What a node's processors spend on each step, at 10 MHz.

use super::super::common::SPAN;
use super::super::{Key, Kind, between, key, time};
use super::{ASSUMED, BULLETIN};
use crate::quantity::Dimension;

/// Fitted to the bulletin's light-load figures (experiments A to C).
const FITTED: &str = BULLETIN;

/// Keys of `costs`.
pub const COSTS: &[Key] = &[
    key("send_call", time(SPAN), "Application processor: the call that sends a message.").default("\"1 ms\"", FITTED),
    key("form_packet", time(SPAN), "Network processor: forms an outgoing packet.").default("\"1.781 ms\"", FITTED),
    key("form_packet_per_byte", time(SPAN), "The same, for each byte of data.").default("\"19.67 µs\"", FITTED),
    key(
        "open_transaction",
        time(SPAN),
        "Network processor: transmit record and timer of a message that expects an answer.",
    )
    .default("\"3 ms\"", FITTED),
    key("open_receive_record", time(SPAN), "Network processor: receive record and duplicate check of such a message.")
        .default("\"3.5 ms\"", FITTED),
    key("deliver", time(SPAN), "Network processor: address check and application buffer of a received message.")
        .default("\"1.48 ms\"", FITTED),
    key("deliver_per_byte", time(SPAN), "The same, for each byte of data.").default("\"20 µs\"", FITTED),
    key("application_latency", time(SPAN), "Application processor: from the delivery to the task that acts on it.")
        .default("\"0.93 ms\"", FITTED),
    key(
        "application_jitter",
        Kind::Quantity(Dimension::Fraction, between("0", "1")),
        "Uniform spread of the application's latency, to each side.",
    )
    .default("\"10 %\"", ASSUMED),
    key("form_acknowledgement", time(SPAN), "Network processor: forms an acknowledgement.")
        .default("\"0.9 ms\"", FITTED),
    key("complete_transaction", time(SPAN), "Network processor: takes an acknowledgement and tells the application.")
        .default("\"2.28 ms\"", FITTED),
    key("application_copy_per_byte", time(SPAN), "Application processor: copies a byte of message data.")
        .default("\"188 µs\"", FITTED),
    key(
        "network_variable_event",
        time(SPAN),
        "Application processor: what a network variable update takes more than an explicit message.",
    )
    .default("\"0.8 ms\"", FITTED),
    key("authentication_pass", time(SPAN), "Network processor: one pass of 48 steps of the authentication transform.")
        .default("\"1.15 ms\"", ASSUMED),
    key("discard", time(SPAN), "Network processor: finds that a packet is for another node.")
        .default("\"0.7 ms\"", ASSUMED),
    key("forward", time(SPAN), "Network processor of a router: passes a packet on.").default("\"1.781 ms\"", ASSUMED),
    key("forward_per_byte", time(SPAN), "The same, for each byte of the packet.").default("\"19.67 µs\"", ASSUMED),
];
