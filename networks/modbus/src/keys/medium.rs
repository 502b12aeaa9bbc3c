//! Keys of a medium: a serial line in RTU or ASCII mode, or links that carry TCP.

use super::{ASSUMED, SERIAL_LINE};
use sojourn_scenario::keys::common::{PROFILE, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// The word of a medium of TCP.
pub const TCP: &str = "tcp";
/// The word of a line whose frames are separated by silence.
pub const RTU: &str = "rtu";
/// Keys that serial lines alone have.
pub const OF_LINES: [&str; 4] = ["parity", "stop_bits", "silence", "bit_error_rate"];
/// Keys that links alone have.
pub const OF_LINKS: [&str; 1] = ["delay"];

/// Keys of `[[medium]]` beside its name.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "mode",
        Kind::Word(&[
            word(RTU, "a serial line with binary frames between silences of 3.5 characters"),
            word(
                "ascii",
                "a serial line with frames of hexadecimal digits between colon and CR LF, characters of 7 bits",
            ),
            word(TCP, "links to a switch that carry frames over TCP"),
        ]),
        "What carries the frames.",
    )
    .default("\"rtu\"", SERIAL_LINE),
    key(
        "bit_rate",
        Kind::Quantity(Dimension::BitRate, between("50 bit/s", "100 Gbit/s")),
        "Bit rate of the line, or of the link of each station.",
    )
    .by("mode", &[(RTU, "\"19200 bit/s\""), ("ascii", "\"19200 bit/s\""), (TCP, "\"100 Mbit/s\"")], SERIAL_LINE),
    key(
        "parity",
        Kind::Word(&[
            word("even", "even parity, the default of the specification"),
            word("odd", "odd parity"),
            word("none", "no parity bit; the specification then has two stop bits"),
        ]),
        "Parity bit of each character.",
    )
    .default("\"even\"", SERIAL_LINE),
    key("stop_bits", Kind::Integer(1, 2), "Stop bits of each character.").by(
        "parity",
        &[("even", "1"), ("odd", "1"), ("none", "2")],
        SERIAL_LINE,
    ),
    key(
        "silence",
        Kind::Word(&[
            word("fixed", "1.75 ms above 19 200 bit/s, as the specification recommends, else 3.5 characters"),
            word("characters", "3.5 characters at every bit rate"),
        ]),
        "Silence between two frames in RTU mode (t3.5).",
    )
    .default("\"fixed\"", SERIAL_LINE),
    key("bit_error_rate", Kind::Number(between("0", "0.1")), "Bit error rate of the line.")
        .default("0.0", ASSUMED)
        .changeable(),
    key("delay", time(SPAN), "One-way delay between two stations on TCP, beside the time to send.")
        .default("\"0.2 ms\"", ASSUMED)
        .changeable(),
];
