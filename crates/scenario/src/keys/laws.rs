//! Keys of laws, the distributions of durations: the shapes that a mean can have, wherever a kind takes them.

use super::{Bounds, Key, Kind, SPAN, between, key, time};

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

/// Where the values of an empirical law come from.
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
