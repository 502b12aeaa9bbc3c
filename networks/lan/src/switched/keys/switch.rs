//! Keys of an ATM switch: buffers, discard, EFCI marking and rate control.

use super::{ASSUMED, STUDY};
use sojourn_scenario::keys::Word;
use sojourn_scenario::keys::common::{SOME_TIME, SPAN};
use sojourn_scenario::keys::{Bounds, Key, Kind, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

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

/// Keys of a switch: its architecture, buffers, discard policy and rate control.
pub const KEYS: &[Key] = &[
    key(
        "architecture",
        Kind::Word(&[
            word("output-fifo", "one queue per output; the outputs of a module share one buffer"),
            word("output-per-connection", "a queue per connection and output, served round robin; a shared buffer"),
            word("input-per-connection", "a queue per connection at each input, a buffer per input, and a crossbar"),
            word("output-fifo-efci", "output-fifo with an unlimited buffer that sets EFCI while its queue is long"),
            word("input-fifo", "one queue per input, with head-of-line blocking: for comparison"),
        ]),
        "Where cells are queued, and the order of service.",
    )
    .default("\"output-fifo\"", STUDY),
    key(
        "latency",
        time(SPAN),
        "Latency from the reception of a cell (of a packet's last bit) until it is eligible at its output.",
    )
    .default("\"12 µs\"", STUDY),
    key(
        "latency_from",
        Kind::Word(&[
            word("last-bit", "the cell's last bit"),
            word("first-bit", "its first bit; a cell is not forwarded before its last bit"),
        ]),
        "Cells: where the latency begins.",
    )
    .default("\"last-bit\"", ASSUMED),
    key(
        "buffer",
        Kind::QuantityOr(Dimension::Cells, CELLS, &[word("unlimited", "no cell is dropped")]),
        "Cells: buffer shared by the outputs of a module, or of each input.",
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
    key("module_ports", Kind::Integer(1, 64), "Cells: outputs per module, in the order of the switch's media.")
        .default("4", STUDY),
    key(
        "buffer_share",
        Kind::Number(above("0", "1000000")),
        "Cells: dynamic threshold: an output holds at most this times the free space of the shared buffer; by default all of it.",
    )
    .optional(),
    key(
        "discard",
        Kind::Word(&[
            word("tail", "each cell that arrives at a full buffer"),
            word("partial-packet", "partial packet discard (PPD): also the rest of its packet except the last cell"),
            word("early-packet", "early packet discard (EPD): also whole packets whose first cell finds `discard_threshold` or more"),
        ]),
        "Cells: discard policy.",
    )
    .default("\"tail\"", STUDY),
    level("discard_threshold", "EPD threshold in cells; by default 80 % of the buffer.")
        .optional(),
    key(
        "victim",
        Kind::Word(&[
            word("arriving", "the arriving cell"),
            word("head-of-longest", "the first of the longest queue"),
            word("tail-of-longest", "the last of the longest queue"),
        ]),
        "output-per-connection: which cell is dropped when the buffer is full.",
    )
    .default("\"arriving\"", ASSUMED),
    key("marking", Kind::Flag, "Cells: whether EFCI is set in data cells while the queue is long.").by(
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
    level("marking_threshold", "EFCI marking begins when more cells than this are queued for an output.")
        .default("\"500 cells\"", STUDY),
    level("marking_ends", "EFCI marking ends when at most this many are queued; by default `marking_threshold`.").optional(),
    key(
        "mark_at",
        Kind::Word(&[
            word("departure", "a departing cell, by the queue it leaves behind"),
            word("arrival", "an arriving cell, by the queue it finds"),
        ]),
        "Which cells are marked.",
    )
    .default("\"departure\"", ASSUMED),
    key("matching_iterations", Kind::Integer(1, 64), "Crossbar: iterations of request, grant and accept per cell time.")
        .default("4", AN2),
    choice("matching_grants", "Crossbar: which requesting input an output grants."),
    choice("matching_accepts", "Crossbar: which of its grants an input accepts."),
    key(
        "crossbar_slots",
        Kind::Word(&[
            word("on-demand", "start with the first cell after an idle period: the measured latency includes the wait"),
            word("free-running", "run continuously"),
        ]),
        "Crossbar: timing of its cell slots.",
    )
    .default("\"on-demand\"", ASSUMED),
    key(
        "rate_control",
        Kind::Word(&[
            word("none", "EFCI only"),
            word("intelligent-marking", "EPRCA: reduces the rates of the fastest sources when the queue is long"),
            word("erica", "ERICA: explicit fair share of the link"),
        ]),
        "Cells: explicit rate control of ABR sources.",
    )
    .default("\"none\"", STUDY),
    key("intelligent_marking", Kind::Table(INTELLIGENT_MARKING), "EPRCA parameters.").default("{}", EPRCA),
    key("erica", Kind::Table(EXPLICIT), "ERICA parameters.").default("{}", ERICA),
];

/// Selection among several.
const CHOICES: &[Word] = &[word("random", "at random"), word("rotating", "round robin")];

const fn choice(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Word(CHOICES), help).default("\"random\"", AN2)
}

const INTELLIGENT_MARKING: &[Key] = &[
    share("av", "AV: weight of a new rate in the mean allowed cell rate (MACR).").default("\"6.25 %\"", EPRCA),
    share("dpf", "Down pressure factor (DPF): sources above this share of MACR are reduced while congested.")
        .default("\"87.5 %\"", EPRCA),
    share("erf", "Explicit reduction factor (ERF): share of MACR signalled to them.").default("\"93.75 %\"", EPRCA),
    share("mrf", "Major reduction factor (MRF): share of MACR signalled to all while very congested.")
        .default("\"25 %\"", EPRCA),
    level("qt", "Queue threshold (QT): congested above this many cells.").default("\"500 cells\"", STUDY),
    level("dqt", "Depth of queue threshold (DQT): very congested above this many cells.")
        .default("\"1000 cells\"", ASSUMED),
];

const EXPLICIT: &[Key] = &[
    key("interval", time(SOME_TIME), "Measurement interval.").default("\"5 ms\"", ERICA),
    key("utilisation", Kind::Quantity(Dimension::Fraction, between("1 %", "100 %")), "Target utilization of the link.")
        .default("\"90 %\"", ERICA),
    key(
        "queue_target",
        time(SOME_TIME),
        "ERICA+: target queueing delay; the target utilization then follows the queue.",
    )
    .optional(),
];
