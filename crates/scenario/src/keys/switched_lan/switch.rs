//! Keys of an ATM switch: its buffers, what it drops, marks and tells sources.

use super::super::common::{SOME_TIME, SPAN};
use super::super::{Bounds, Key, Kind, above, between, key, time, word};
use super::{ASSUMED, STUDY};
use crate::keys::Word;
use crate::quantity::Dimension;

/// Parallel iterative matching.
const AN2: &str = "Anderson et al., ACM TOCS 11(4), 1993";
/// Intelligent marking.
const EPRCA: &str = "Roberts, ATM Forum 94-0735R1, 1994";
/// Explicit rates.
const ERICA: &str = "Kalyanaraman, Ohio State University, 1997";

const CELLS: Bounds = between("1 cells", "1000000000 cells");
const LEVEL: Bounds = between("0 cells", "1000000000 cells");
const SHARE: Bounds = between("0 %", "100 %");

const fn level(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Cells, LEVEL), help)
}

const fn share(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Fraction, SHARE), help)
}

/// What a switch sets; hosts leave it alone.
pub const KEYS: &[Key] = &[
    key(
        "architecture",
        Kind::Word(&[
            word("output-fifo", "one queue per output; the outputs of a module share one buffer"),
            word("output-per-connection", "a queue per connection and output, served round robin; a shared buffer"),
            word("input-per-connection", "a queue per connection at each input, a buffer per input, and a crossbar"),
            word("output-fifo-efci", "output-fifo that marks cells while its queue is long, without end of its buffer"),
            word("input-fifo", "one queue per input, of which only the head can move: for comparison"),
        ]),
        "Where cells wait, and who goes next.",
    )
    .default("\"output-fifo\"", STUDY),
    key(
        "latency",
        time(SPAN),
        "From a cell's reception (a packet's, to its last bit) to when it can leave by its output.",
    )
    .default("\"12 µs\"", STUDY),
    key(
        "latency_from",
        Kind::Word(&[
            word("last-bit", "the cell's last bit"),
            word("first-bit", "its first bit; but a cell does not go on before it is there"),
        ]),
        "Cells: from when the latency counts.",
    )
    .default("\"last-bit\"", ASSUMED),
    key(
        "buffer",
        Kind::QuantityOr(Dimension::Cells, CELLS, &[word("unlimited", "nothing is ever dropped")]),
        "Cells: how many a module's outputs share, or an input holds.",
    )
    .by(
        "architecture",
        &[
            ("output-fifo", "\"13000 cells\""),
            ("output-per-connection", "\"13000 cells\""),
            ("input-per-connection", "\"2000 cells\""),
            ("output-fifo-efci", "\"unlimited\""),
            ("input-fifo", "\"unlimited\""),
        ],
        STUDY,
    ),
    key("module_ports", Kind::Integer(1, 64), "Cells: outputs of a module, in the order of the switch's media.")
        .default("4", STUDY),
    key(
        "buffer_share",
        Kind::Number(above("0", "1000000")),
        "Cells: an output holds at most so many times what is free of a shared buffer; without it, all of it.",
    )
    .optional(),
    key(
        "discard",
        Kind::Word(&[
            word("tail", "each that finds no room, on its own"),
            word("partial-packet", "with it the rest of its packet, but for the last cell"),
            word("early-packet", "besides, packets whole whose first cell finds `discard_threshold` or more"),
        ]),
        "Cells: which are dropped.",
    )
    .default("\"tail\"", STUDY),
    level("discard_threshold", "Cells in the buffer from which packets are refused whole; by default 80 % of it.")
        .optional(),
    key(
        "victim",
        Kind::Word(&[
            word("arriving", "the one that comes"),
            word("head-of-longest", "the first of the longest queue"),
            word("tail-of-longest", "the last of the longest queue"),
        ]),
        "output-per-connection: which cell is dropped when the buffer is full.",
    )
    .default("\"arriving\"", ASSUMED),
    key("marking", Kind::Flag, "Cells: whether data cells are marked while many wait (EFCI).").by(
        "architecture",
        &[
            ("output-fifo", "false"),
            ("output-per-connection", "false"),
            ("input-per-connection", "false"),
            ("output-fifo-efci", "true"),
            ("input-fifo", "false"),
        ],
        STUDY,
    ),
    level("marking_threshold", "Marking begins once more cells than this wait for an output.")
        .default("\"500 cells\"", STUDY),
    level("marking_ends", "And ends once no more than this do; by default the threshold.").optional(),
    key(
        "mark_at",
        Kind::Word(&[
            word("departure", "a cell that leaves, by those it leaves behind"),
            word("arrival", "a cell that comes, by those it finds"),
        ]),
        "Which cells are marked.",
    )
    .default("\"departure\"", ASSUMED),
    key("matching_iterations", Kind::Integer(1, 64), "Crossbar: rounds of request, grant and accept in a cell's time.")
        .default("4", AN2),
    choice("matching_grants", "Crossbar: which of the inputs that ask an output grants."),
    choice("matching_accepts", "Crossbar: which of its grants an input accepts."),
    key(
        "crossbar_slots",
        Kind::Word(&[
            word("on-demand", "begin with the first cell after a silence: the measured latency holds the wait"),
            word("free-running", "go on whether there are cells or not"),
        ]),
        "Crossbar: when its cell times begin.",
    )
    .default("\"on-demand\"", ASSUMED),
    key(
        "rate_control",
        Kind::Word(&[
            word("none", "nothing beside marks"),
            word("intelligent-marking", "lower rates to the fastest when a queue is long (EPRCA)"),
            word("erica", "a fair share of the link (ERICA)"),
        ]),
        "Cells: what it tells sources of the available bit rate.",
    )
    .default("\"none\"", STUDY),
    key("intelligent_marking", Kind::Table(INTELLIGENT_MARKING), "Its intelligent marking.").default("{}", EPRCA),
    key("erica", Kind::Table(EXPLICIT), "Its ERICA.").default("{}", ERICA),
];

/// One of several.
const CHOICES: &[Word] = &[word("random", "any of them"), word("rotating", "the next after the last one served")];

const fn choice(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Word(CHOICES), help).default("\"random\"", AN2)
}

const INTELLIGENT_MARKING: &[Key] = &[
    share("averaging", "How much of a new rate goes into the average of rates (AV).").default("\"6.25 %\"", EPRCA),
    share("above", "Sources above this share of the average are slowed when cells queue (DPF).")
        .default("\"87.5 %\"", EPRCA),
    share("reduction", "The share of the average that they are told then (ERF).").default("\"93.75 %\"", EPRCA),
    share("major_reduction", "The share that all are told when very many cells queue (MRF).")
        .default("\"25 %\"", EPRCA),
    level("congested", "Queued cells beyond which that is so (QT).").default("\"500 cells\"", STUDY),
    level("very_congested", "Queued cells that are very many (DQT).").default("\"1000 cells\"", ASSUMED),
];

const EXPLICIT: &[Key] = &[
    key("interval", time(SOME_TIME), "How often shares are worked out.").default("\"5 ms\"", ERICA),
    key(
        "utilisation",
        Kind::Quantity(Dimension::Fraction, between("1 %", "100 %")),
        "The share of the link that is given away.",
    )
    .default("\"90 %\"", ERICA),
    key(
        "queue_target",
        time(SOME_TIME),
        "ERICA+: the delay in the queue that is aimed at; the share given away then follows the queue.",
    )
    .optional(),
];
