//! Keys of `[adapter]`.

use super::super::common::SPAN;
use super::super::{Key, Kind, above, between, key, time, word};
use super::{ASSUMED, KALKUNTE};
use crate::quantity::Dimension;

const FITTED: &str = "fitted to the published knees and rates of the smallest frames (Kalkunte 1991)";

/// The control stage: the ring entry mover with what it does for each frame.
pub const CONTROL: &[Key] = &[
    key("receive_control", time(SPAN), "What the control stage takes for a received frame, its ownership write apart.")
        .default("\"5.888 µs\"", FITTED),
    key("transmit_control", time(SPAN), "What it takes to move a frame to the ring's side.")
        .default("\"3.392 µs\"", FITTED),
    key(
        "control_per_byte",
        time(SPAN),
        "Additional time of the control stage per byte of a frame, in both directions.",
    )
    .default("\"0 ns\"", ASSUMED),
    key("refusal_cost", time(SPAN), "What the control stage takes for a frame that was refused.")
        .default("\"0.1 µs\"", ASSUMED),
    key("control_queue", Kind::Integer(1, 65_536), "Received frames that may wait before the control stage.")
        .default("512", ASSUMED),
];

/// From the fibre to packet memory.
pub const RING_SIDE: &[Key] = &[
    key("chip_set_latency", time(SPAN), "What the chip set delays a frame to the ring.").default("\"0.6 µs\"", ASSUMED),
    key(
        "ring_memory_latency",
        time(SPAN),
        "From a frame's last bit to the whole frame in packet memory, or from packet memory to the chip set.",
    )
    .default("\"1 µs\"", ASSUMED),
    key("fifo_bursts", Kind::Integer(1, 1024), "Bursts of 32 bytes that each of the FIFOs holds.")
        .default("16", ASSUMED),
    key(
        "burst_time",
        time(above("0 s", "1 ms")),
        "What a burst of 32 bytes takes on the ring memory controller's bus.",
    )
    .default("\"0.32 µs\"", ASSUMED),
    key("descriptor_time", time(SPAN), "What a frame's descriptor takes on that bus.").default("\"0.16 µs\"", ASSUMED),
    key("parse_frame", time(SPAN), "What the parser takes for any frame.").default("\"0.8 µs\"", ASSUMED),
    key("parse_snap", time(SPAN), "What it takes more for a SNAP header.").default("\"0.2 µs\"", ASSUMED),
    key("parse_management", time(SPAN), "What it takes more for a station management frame.")
        .default("\"0.4 µs\"", ASSUMED),
    key("parse_per_byte", time(SPAN), "What it takes more for each of the first 64 bytes.")
        .default("\"10 ns\"", ASSUMED),
];

/// Packet memory, and what happens when it is full.
pub const BUFFERS: &[Key] = &[
    key("receive_buffers", Kind::Quantity(Dimension::Size, SOME_MEMORY), "Packet memory for received frames.")
        .default("\"256 KiB\"", ASSUMED),
    key("transmit_buffers", Kind::Quantity(Dimension::Size, SOME_MEMORY), "Packet memory for frames to send.")
        .default("\"128 KiB\"", ASSUMED),
    key(
        "buffer",
        Kind::Quantity(Dimension::Size, between("32 B", "8 KiB")),
        "Size of a buffer of packet memory; a frame takes as many as it needs.",
    )
    .default("\"512 B\"", ASSUMED),
    key(
        "drop_at",
        Kind::Word(&[
            word("fifo", "at its first burst, if any resource on its path is exhausted; it consumes nothing"),
            word("pool", "where packet memory or the control stage's queue is full; it waits for a host buffer"),
            word("host", "as pool, and after the control stage if the host has no buffer for it"),
        ]),
        "Where a frame that finds no room is dropped; until there it has consumed what others do.",
    )
    .default("\"pool\"", ASSUMED),
];

const SOME_MEMORY: super::super::Bounds = between("512 B", "64 MiB");

/// From packet memory to the bus.
pub const HOST_SIDE: &[Key] = &[
    key("staging", Kind::Integer(1, 64), "Hexawords that the staging buffers of each DMA channel hold.")
        .default("4", ASSUMED),
    key("outstanding_reads", Kind::Integer(1, 16), "Maximum outstanding data reads of the transmit channel.")
        .default("1", ASSUMED),
    key(
        "priority",
        Kind::Word(&[
            word("reads-first", "read requests, then data writes, then writes of entries"),
            word("writes-first", "data writes, then writes of entries, then read requests"),
            word("alternate", "each channel does its own when the bus is granted to it"),
        ]),
        "Which of the pending transactions the host interface does when the bus is granted to one of its channels.",
    )
    .default("\"reads-first\"", KALKUNTE),
    key("descriptors_per_read", Kind::Integer(1, 16), "Receive descriptors that one hexaword read brings.")
        .default("4", ASSUMED),
    key(
        "descriptor_fetch",
        Kind::Word(&[
            word("prefetched", "the next ones are read while some are left"),
            word("blocking", "the next ones are read when a frame needs one"),
        ]),
        "When receive descriptors are read.",
    )
    .default("\"prefetched\"", ASSUMED),
    key(
        "transmit_threshold",
        Kind::Quantity(Dimension::Size, between("32 B", "4500 B")),
        "Bytes of a frame in packet memory with which it may go on to the ring; without it, the whole frame.",
    )
    .optional(),
];
