//! The kinds of answers (sentences computed from results) and their options. `sojourn.answers` writes each.

use super::options::{ANY_SHAPE, ID, Kind, Opt, TITLE, Value, WHERE, optional, required};

/// Options of every answer besides `kind`.
pub const COMMON: &[Opt] = &[
    ID,
    TITLE,
    optional("experiments", Value::Experiments(1), "The experiments; without it, all of the study."),
    WHERE,
];

const X: Opt = required("x", Value::Axis, "Key over which the metric is taken.");
const Y: Opt = required("y", Value::Metric(ANY_SHAPE), "Metric.");
const PAIR: Opt = required("experiments", Value::Experiments(2), "The reference and the experiments compared with it.");

/// All kinds, by name.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "best",
        help: "The largest rate or the shortest time for each value of a key.",
        options: &[Y, optional("by", Value::Axis, "Key with a statement for each of its values.")],
    },
    Kind {
        name: "bottleneck",
        help: "The member of a metric with the largest value, such as the busiest stage.",
        options: &[X, Y, required("at", Value::Values, "Values of `x`.")],
    },
    Kind { name: "budget", help: "The largest component of the response time at both ends of a key.", options: &[X] },
    Kind {
        name: "effect",
        help: "The second experiment against the first, paired by replication, over a key.",
        options: &[PAIR, X, Y],
    },
    Kind {
        name: "knee",
        help: "The range of a key over which a time is flat, where it doubles, and its value at the end.",
        options: &[X, Y],
    },
    Kind {
        name: "ranking",
        help: "The variants that change a metric most.",
        options: &[PAIR, X, Y, required("at", Value::Values, "Values of `x`.")],
    },
    Kind {
        name: "saturation",
        help: "The offered load at which throughput saturates, and the throughput at the largest load.",
        options: &[X, Y],
    },
    Kind {
        name: "threshold",
        help: "The smallest value of a key from which a condition holds, for every setting of the other keys.",
        options: &[
            X,
            Y,
            required(
                "reach",
                Value::Word(&["zero", "full-rate"]),
                "The metric stays 0, or within 0.5 % of its largest value.",
            ),
        ],
    },
    Kind {
        name: "values",
        help: "A metric at some values of a key, for every setting of the other keys.",
        options: &[X, Y, optional("at", Value::Values, "Values of `x`; without it, all.")],
    },
];
