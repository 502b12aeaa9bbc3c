//! Keys of a terminal: a PC, a serial line, and the TNC that forms packets.

use super::{ASSUMED, TNC2};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Bounds, Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const BUFFER: Bounds = between("1 B", "1 MiB");

/// Keys of a terminal; stations of other types ignore them.
pub const KEYS: &[Key] = &[
    key(
        "serial_rate",
        Kind::Quantity(Dimension::BitRate, between("50 bit/s", "10 Mbit/s")),
        "Terminal: bit rate of the serial line in each direction.",
    )
    .default("\"9600 bit/s\"", TNC2),
    key("serial_character", Kind::Integer(7, 12), "Terminal: bits of a character with start, parity and stop bits.")
        .default("10", TNC2),
    key(
        "character_interval",
        time(SPAN),
        "Terminal: interval between the characters that the PC sends, if longer than a character takes on the line.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "serial_input",
        Kind::Word(&[
            word("always", "while transmitting too"),
            word("not-while-transmitting", "flow control stops the PC from key-up to key-off"),
        ]),
        "Terminal: when the TNC accepts characters from the serial line.",
    )
    .default("\"always\"", ASSUMED),
    key(
        "data_mode",
        Kind::Word(&[
            word("converse", "at paclen, and at the character that ends a line and a block (SENDPAC)"),
            word("transparent", "at paclen, and when pactime expires"),
        ]),
        "Terminal: when the TNC sends the characters it has collected.",
    )
    .default("\"converse\"", TNC2),
    key("pactime", time(between("1 ms", "1 h")), "Terminal, transparent: timer that ends a short packet (PACTIME).")
        .default("\"1 s\"", TNC2),
    key(
        "pactime_runs",
        Kind::Word(&[
            word("after", "restarts with each character (PACTIME AFTER)"),
            word("every", "from the packet's first character (PACTIME EVERY)"),
        ]),
        "Terminal, transparent: when pactime runs.",
    )
    .default("\"after\"", TNC2),
    key(
        "turnaround",
        time(SPAN),
        "Terminal: processing time of the PC's program, from the last character received, or the start of a round trip, to the first it sends.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "send_buffer",
        Kind::QuantityOr(Dimension::Size, BUFFER, &[word("unlimited", "a program beside a software TNC, as over AGW or KISS")]),
        "Terminal: unacknowledged characters that the TNC buffers before flow control stops the PC, or the user's program of a session.",
    )
    .default("\"8 KiB\"", ASSUMED),
    key(
        "receive_buffer",
        Kind::Quantity(Dimension::Size, BUFFER),
        "Terminal: characters queued for the PC at which the TNC sends RNR; it sends RR when half are left.",
    )
    .default("\"8 KiB\"", ASSUMED),
];
