//! The kinds of figures and their options. `sojourn.figures` draws each.

use super::options::{ANY_SHAPE, ID, Kind, LEVEL, Opt, SAMPLED, TITLE, Value, WHERE, optional, required};

/// Options of every figure besides `kind`.
pub const COMMON: &[Opt] = &[
    ID,
    TITLE,
    optional("caption", Value::Text, "First sentence of the caption."),
    optional("experiments", Value::Experiments(1), "The experiments shown; without it, all of the study."),
    WHERE,
];

const X: Opt = required("x", Value::Axis, "Key of the horizontal axis.");
const BY: Opt = optional("by", Value::Axis, "Key with a panel for each of its values.");
const AT: Opt = optional("at", Value::Values, "Values of `x` shown; without it, all.");

/// All kinds, by name.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "advice",
        help: "Compared changes of a scenario with their 95 % confidence intervals, those that are out in grey, of `sojourn advise`.",
        options: &[],
    },
    Kind {
        name: "bars",
        help: "Grouped bars over the values of a key, one panel per experiment and metric.",
        options: &[
            X,
            required("y", Value::Metrics(ANY_SHAPE), "Metrics, one panel each."),
            optional("by", Value::Axis, "Key with a bar for each of its values."),
        ],
    },
    Kind {
        name: "bounds",
        help: "Bounds of times beside what was simulated: quantiles, largest value and bound on one axis, of `sojourn bound`.",
        options: &[],
    },
    Kind {
        name: "budget",
        help: "Delay budget: stacked components of the response time, for all samples and for the slowest 1 %.",
        options: &[optional("x", Value::Axis, "Key of the horizontal axis; without it, one bar.")],
    },
    Kind {
        name: "distribution",
        help: "Cumulative distribution of a time, with its percentiles.",
        options: &[
            required("y", Value::Metric(SAMPLED), "Metric on the horizontal axis."),
            optional("scale", Value::Scales(&["x"], &["log"]), "Logarithmic axis of time."),
        ],
    },
    Kind {
        name: "histogram",
        help: "Histogram of a time, one panel per experiment and setting.",
        options: &[
            optional("x", Value::Axis, "Key whose values `at` names."),
            required("y", Value::Metric(SAMPLED), "Metric on the horizontal axis."),
            BY,
            AT,
            optional("bin", Value::Time, "Bin width on a linear axis; default 10 ms."),
            optional("scale", Value::Scales(&["x"], &["log"]), "Both axes logarithmic, bins of equal ratio."),
        ],
    },
    Kind {
        name: "lines",
        help: "Metrics over a key with their 95 % confidence intervals.",
        options: &[
            X,
            required("y", Value::Metrics(ANY_SHAPE), "Metrics; those of the same unit share a panel."),
            optional(
                "facet",
                Value::Word(&["metric", "experiment"]),
                "A panel for each unit of `y` (default), or for each experiment and value of `by`.",
            ),
            BY,
            optional(
                "statistics",
                Value::Words(&["mean", "min", "p50", "p90", "p95", "p99", "p999", "max"]),
                "Fields of a distribution, a line each; default the mean.",
            ),
            optional("members", Value::Flag, "A line for each member of `y`, at the first setting of the other keys."),
            optional("baseline", Value::Experiment, "Shows differences from this experiment, paired by replication."),
            optional("saturation", Value::Flag, "Marks the offered load and the saturation point of each experiment."),
            optional("limit", Value::Number, "Limit drawn as a dashed line."),
            optional(
                "scale",
                Value::Scales(&["x", "y"], &["linear", "log", "symlog"]),
                "Scale of each axis; default linear.",
            ),
        ],
    },
    Kind {
        name: "parity",
        help: "Measured over simulated medians of the response time, point by point.",
        options: &[],
    },
    Kind {
        name: "percentiles",
        help: "Percentiles of a time up to the rarest samples: p50, p90, p95, p99, p99.9 and so on over 1/(1 - p), where each nine more takes the same room.",
        options: &[required("y", Value::Metric(SAMPLED), "Metric on the vertical axis.")],
    },
    Kind {
        name: "ranking",
        help: "One metric of an experiment and its variants at one value of a key, largest first.",
        options: &[
            optional("x", Value::Axis, "Key whose value `at` names."),
            required("y", Value::Metric(ANY_SHAPE), "Metric on the horizontal axis."),
            AT,
            optional("members", Value::Flag, "Ranks the members of `y` at the first point instead."),
        ],
    },
    Kind {
        name: "samples",
        help: "Samples of a time in order of observation, from the first replication.",
        options: &[
            optional("x", Value::Axis, "Key whose values `at` names."),
            required("y", Value::Metric(SAMPLED), "Metric on the vertical axis."),
            BY,
            AT,
        ],
    },
    Kind {
        name: "timeline",
        help: "Metrics over time in windows aligned to the events of the scenario, with their 95 % confidence intervals.",
        options: &[
            required("y", Value::Metrics(ANY_SHAPE), "Metrics, a panel each: response_time, throughput, queue_length."),
            optional("until", Value::Time, "End of the axis of time; without it, the end of the replication."),
        ],
    },
    Kind {
        name: "timeseries",
        help: "Response time of every request over its send time, with the goodput of the load below.",
        options: &[required("y", Value::Metric(SAMPLED), "Metric on the vertical axis.")],
    },
    Kind {
        name: "trace",
        help: "Levels over time from the start of the first replication, such as a queue length.",
        options: &[
            optional("x", Value::Axis, "Key whose values `at` names."),
            required("y", Value::Metrics(LEVEL), "Metrics, a row of panels each."),
            AT,
            optional("until", Value::Time, "End of the axis of time; without it, the end of the replication."),
        ],
    },
];
