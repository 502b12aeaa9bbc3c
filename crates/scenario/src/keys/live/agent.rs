//! The limits of a measurement server, as `sojourn agent --limit NAME=VALUE` takes them.

use crate::keys::{Key, Kind, above, between, key, time};
use crate::quantity::Dimension;

/// What `agent` and `listen` take alike.
pub static SERVING: &[Key] = &[
    key("duration", time(above("0 s", "200 day")), "Time after which the server ends.").optional(),
    key(
        "inject-loss",
        Kind::Quantity(Dimension::Fraction, between("0 %", "99.99 %")),
        "For tests: share of its own datagrams that the server drops before sending.",
    )
    .default("\"0 %\"", super::DESIGN),
];

/// The limits of each session; `sessions` and `sessions-per-address` are of the server. What is not given keeps the
/// server's own default.
pub static LIMITS: &[Key] = &[
    key("packet-rate", Kind::Quantity(Dimension::Rate, between("1 /s", "4294967295 /s")), "Probes per second.")
        .optional(),
    key("bit-rate", Kind::Quantity(Dimension::BitRate, between("1 bit/s", "1e9 Gbit/s")), "Load in each direction.")
        .optional(),
    key("volume", Kind::Quantity(Dimension::Size, between("1 B", "1e12 MB")), "Bytes carried.").optional(),
    key("time", time(between("1 s", "30 day")), "Length of a session.").optional(),
    key("idle", time(between("1 s", "1 h")), "Time without a packet after which a session ends.").optional(),
    key("packet-size", Kind::Quantity(Dimension::Size, above("0 B", "65507 B")), "Largest probe.").optional(),
    key("streams", Kind::Integer(0, 128), "Load streams.").optional(),
    key("sessions", Kind::Integer(1, 1024), "Sessions at a time.").optional(),
    key("sessions-per-address", Kind::Integer(1, 1024), "Sessions of one address at a time.").optional(),
];
