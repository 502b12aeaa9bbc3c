//! Keys of `[bus]`.

use super::{ASSUMED, KALKUNTE, XMI};
use sojourn_scenario::keys::{Key, Kind, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// Keys of main memory: its place and its access times.
pub const MEMORY: &[Key] = &[
    key(
        "configuration",
        Kind::Word(&[
            word("cpu", "CPU, memory and adapter on one bus (VAX 6000)"),
            word("io", "memory behind a second bus, with slower reads (VAX 9000)"),
        ]),
        "Position of main memory, which determines its access time.",
    )
    .default("\"cpu\"", KALKUNTE),
    key(
        "memory_access",
        Kind::Integer(1, 1000),
        "Bus cycles of 64 ns from the end of a read command to the memory's request for the bus.",
    )
    .by("configuration", &[("cpu", "7"), ("io", "23")], ASSUMED),
    key("interleave", Kind::Integer(1, 16), "Interleaved memory banks, a hexaword each in turn.").default("4", ASSUMED),
    key(
        "memory_queue",
        Kind::Integer(1, 1000),
        "Queued reads at which memory suppresses further commands on the bus (SUP).",
    )
    .default("16", ASSUMED),
];

/// Everybody but the adapter.
pub const OTHERS: &[Key] = &[
    key(
        "interference",
        Kind::Quantity(Dimension::Fraction, between("0 %", "99 %")),
        "Share of bus cycles requested by other nodes.",
    )
    .label("Bus interference")
    .default("\"0 %\"", KALKUNTE)
    .changeable(),
    key(
        "interference_length",
        Kind::Number(between("1", "5")),
        "Mean length in bus cycles of other nodes' transactions; a fraction mixes the two nearest lengths.",
    )
    .default("5", KALKUNTE),
    key(
        "interference_burst",
        Kind::Integer(1, 13),
        "Nodes that request the bus in the same cycle, one transaction each.",
    )
    .default("13", KALKUNTE),
    key(
        "interference_arrivals",
        Kind::Word(&[
            word("poisson", "independent exponential intervals"),
            word("periodic", "constant intervals with a random phase"),
        ]),
        "Arrival process of the bursts.",
    )
    .default("\"poisson\"", ASSUMED),
    key(
        "commanders",
        Kind::Integer(0, 14),
        "Further nodes that always have a transaction pending; for tests of the bus alone.",
    )
    .default("0", ASSUMED),
    key(
        "commander_transaction",
        Kind::Word(&[
            word("longword-write", "2 cycles for 4 bytes, in I/O space"),
            word("quadword-write", "2 cycles for 8 bytes"),
            word("octaword-write", "3 cycles for 16 bytes"),
            word("hexaword-write", "5 cycles for 32 bytes"),
            word("hexaword-read", "a command, and 4 cycles for 32 bytes after the memory's access"),
        ]),
        "Transaction of these nodes; each has one outstanding at a time.",
    )
    .default("\"hexaword-write\"", XMI),
];
