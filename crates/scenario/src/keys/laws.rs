//! Keys of laws, the distributions of durations: the shapes a duration may have, wherever a kind allows them.

use super::{Bounds, Key, Kind, SOME_TIME, SPAN, Variant, between, key, time};

/// Coefficients of variation of a normal law. Truncated at zero, its mean is the one asked for to 0.05 % up to here.
pub const NORMAL_VARIATION: Bounds = between("0", "0.3");
/// Coefficients of variation of a lognormal law.
pub const LOGNORMAL_VARIATION: Bounds = between("0", "5");
/// What varies more than a normal law may.
pub const MORE_VARIATION: &str = "kinds that vary more: gamma, lognormal, weibull, empirical";

/// The shape of a gamma law.
pub const GAMMA_SHAPE: Key = key(
    "shape",
    Kind::Number(between("0.05", "10000")),
    "Shape: the coefficient of variation is 1 / sqrt(shape); 1 is exponential, a whole number Erlang.",
);

/// The shape of a Weibull law.
pub const WEIBULL_SHAPE: Key = key(
    "shape",
    Kind::Number(between("0.3", "100")),
    "Shape: below 1 the tail is heavier than an exponential one, 1 is exponential, 3.6 nearly normal.",
);

/// Where the values of an empirical law, or those that are gone through in their order, come from.
pub const EMPIRICAL: &[Key] = &[
    key("values", Kind::Times(SPAN), "The values, each as likely as the others; in place of a file.").optional(),
    key("file", Kind::File, "A CSV file with the values in seconds, relative to the scenario; in place of values.")
        .optional(),
    key("column", Kind::Text, "The column of the file, by its title; by default its only one.").optional(),
];

/// Standard deviation of a normal law, where the mean is a time beside it.
pub const NORMAL_DEVIATION: Key = key(
    "deviation",
    time(SPAN),
    "Standard deviation, at most 0.3 of the mean: truncated at zero, more would shift it.",
);

/// Standard deviation of a lognormal law.
pub const LOGNORMAL_DEVIATION: Key = key("deviation", time(SPAN), "Standard deviation, at most 5 times the mean.");

/// Standard deviation of a law whose mean is a key of the same table, divided by it.
const fn relative_deviation(bounds: Bounds) -> Key {
    key("deviation", Kind::Number(bounds), "Coefficient of variation: standard deviation divided by the mean.")
}

const RELATIVE_NORMAL_DEVIATION: Key =
    relative_deviation(NORMAL_VARIATION).default("0.1", KLEINROCK).beyond(MORE_VARIATION);
const KLEINROCK: &str = "L. Kleinrock, Queueing Systems, volume 1 (1975)";

/// Every law, of times with this key for their mean, and further ones.
macro_rules! laws {
    ($mean:expr $(, $further:expr)?) => {
        &[
            Variant { word: "exponential", help: "exponentially distributed", keys: &[&[$mean]] },
            Variant { word: "deterministic", help: "constant", keys: &[&[$mean]] },
            Variant {
                word: "normal",
                help: "normally distributed, truncated at zero",
                keys: &[&[$mean, RELATIVE_NORMAL_DEVIATION]],
            },
            Variant { word: "gamma", help: "gamma-distributed", keys: &[&[$mean, GAMMA_SHAPE]] },
            Variant {
                word: "lognormal",
                help: "lognormally distributed",
                keys: &[&[$mean, relative_deviation(LOGNORMAL_VARIATION)]],
            },
            Variant { word: "weibull", help: "Weibull-distributed", keys: &[&[$mean, WEIBULL_SHAPE]] },
            Variant { word: "empirical", help: "drawn from measured times", keys: &[EMPIRICAL] },
            $($further,)?
        ]
    };
}

/// Laws of a service time, whose mean an event may change.
pub const SERVICE: &[Variant] = laws!(key("mean", time(SOME_TIME), "Mean service time.").changeable());

/// Laws of any other time.
const TIMES: &[Variant] = laws!(key("mean", time(SOME_TIME), "Mean."));

/// Laws of the times of programs that go on from one value to the next, each for itself.
const PROGRAM_TIMES: &[Variant] = laws!(
    key("mean", time(SOME_TIME), "Mean."),
    Variant { word: "recorded", help: "measured times in their order, over and over", keys: &[EMPIRICAL] }
);

/// Laws of what a path adds to the delay of each packet: recorded values may say as well which packets are lost.
const PATH_TIMES: &[Variant] = laws!(
    key("mean", time(SOME_TIME), "Mean."),
    Variant {
        word: "recorded",
        help: "measured times of the packets of a direction in their order, over and over",
        keys: &[EMPIRICAL, &[LOST]],
    }
);

/// Which packets of a recording are lost.
const LOST: Key = key(
    "lost",
    Kind::Text,
    "The column of the file that is 1 where the packet is lost and 0 where it is not; by default none is.",
)
.optional();

/// A time within these bounds, or a law of times.
pub const fn time_or_law(bounds: Bounds) -> Kind {
    Kind::TimeOrLaw(bounds, TIMES)
}

/// The same of a path, which may also go through recorded times in their order.
pub const fn path_time(bounds: Bounds) -> Kind {
    Kind::TimeOrLaw(bounds, PATH_TIMES)
}

/// The same of a program, which may also go through recorded times in their order.
pub const fn program_time(bounds: Bounds) -> Kind {
    Kind::TimeOrLaw(bounds, PROGRAM_TIMES)
}
