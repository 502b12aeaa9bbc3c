//! Keys of `[adapter]`.

use super::{ASSUMED, KALKUNTE};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Key, Kind, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const FITTED: &str = "fitted to the published knees and rates of the smallest frames (Kalkunte 1991)";

/// The control stage: the ring entry mover with what it does for each frame.
pub const CONTROL: &[Key] = &[
    key("receive_control", time(SPAN), "Control stage: time per received frame, without the ownership write.")
        .default("\"5.888 µs\"", FITTED),
    key("transmit_control", time(SPAN), "Control stage: time per transmitted frame.").default("\"3.392 µs\"", FITTED),
    key(
        "control_per_byte",
        time(SPAN),
        "Additional time of the control stage per byte of a frame, in both directions.",
    )
    .default("\"0 ns\"", ASSUMED),
    key("discard_time", time(SPAN), "Control stage: time to discard a frame.").default("\"0.1 µs\"", ASSUMED),
    key("control_queue", Kind::Integer(1, 65_536), "Queue limit before the control stage, in received frames.")
        .default("512", ASSUMED),
];

/// From the fibre to packet memory.
pub const RING_SIDE: &[Key] = &[
    key("chip_set_latency", time(SPAN), "Latency of the FDDI chip set to the ring.").default("\"0.6 µs\"", ASSUMED),
    key(
        "ring_memory_latency",
        time(SPAN),
        "Latency of the ring memory controller: from a frame's last bit to packet memory, or from packet memory to the chip set.",
    )
    .default("\"1 µs\"", ASSUMED),
    key("fifo_bursts", Kind::Integer(1, 1024), "Depth of each FIFO in bursts of 32 bytes.")
        .default("16", ASSUMED),
    key(
        "burst_time",
        time(above("0 s", "1 ms")),
        "Time of a 32-byte burst on the ring memory controller's bus.",
    )
    .default("\"0.32 µs\"", ASSUMED),
    key("descriptor_time", time(SPAN), "Time of a frame descriptor on that bus.").default("\"0.16 µs\"", ASSUMED),
    key("parse_frame", time(SPAN), "Parser: time per frame.").default("\"0.8 µs\"", ASSUMED),
    key("parse_snap", time(SPAN), "Parser: additional time for a SNAP header.").default("\"0.2 µs\"", ASSUMED),
    key("parse_management", time(SPAN), "Parser: additional time for a station management (SMT) frame.")
        .default("\"0.4 µs\"", ASSUMED),
    key("parse_per_byte", time(SPAN), "Parser: additional time for each of the first 64 bytes.")
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
        "Buffer size of packet memory; a frame occupies as many as it needs.",
    )
    .default("\"512 B\"", ASSUMED),
    key(
        "drop_at",
        Kind::Word(&[
            word("fifo", "at its first burst, if any resource on its path is exhausted; it consumes nothing"),
            word("pool", "where packet memory or the control queue is full; it waits for a host buffer"),
            word("host", "as pool, and after the control stage if no host buffer is free"),
        ]),
        "Stage that drops a frame when resources are exhausted; up to there it consumes the same resources as others.",
    )
    .default("\"pool\"", ASSUMED),
];

const SOME_MEMORY: sojourn_scenario::keys::Bounds = between("512 B", "64 MiB");

/// From packet memory to the bus.
pub const HOST_SIDE: &[Key] = &[
    key("staging", Kind::Integer(1, 64), "Staging buffers of each DMA channel, in hexawords.").default("4", ASSUMED),
    key("outstanding_reads", Kind::Integer(1, 16), "Maximum outstanding data reads of the transmit channel.")
        .default("1", ASSUMED),
    key(
        "priority",
        Kind::Word(&[
            word("reads-first", "read requests, then data writes, then writes of entries"),
            word("writes-first", "data writes, then writes of entries, then read requests"),
            word("alternate", "each channel runs its own transaction when granted"),
        ]),
        "Order of pending transactions when the bus is granted to the host interface.",
    )
    .default("\"reads-first\"", KALKUNTE),
    key("descriptors_per_read", Kind::Integer(1, 16), "Receive descriptors per hexaword read.").default("4", ASSUMED),
    key(
        "descriptor_fetch",
        Kind::Word(&[
            word("prefetched", "read ahead while some are left"),
            word("blocking", "read when a frame needs one"),
        ]),
        "When receive descriptors are read.",
    )
    .default("\"prefetched\"", ASSUMED),
    key(
        "transmit_threshold",
        Kind::Quantity(Dimension::Size, between("32 B", "4500 B")),
        "Transmit threshold: bytes in packet memory at which transmission starts; the whole frame if left out.",
    )
    .optional(),
];
