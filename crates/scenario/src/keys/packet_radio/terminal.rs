//! Keys of a terminal: a PC, a serial line, and the TNC's packets made of what comes over it.

use super::super::common::SPAN;
use super::super::{Bounds, Key, Kind, between, key, time, word};
use super::{ASSUMED, TNC2};
use crate::quantity::Dimension;

const BUFFER: Bounds = between("1 B", "1 MiB");

/// Keys of a terminal; stations of other types leave them alone.
pub const KEYS: &[Key] = &[
    key(
        "serial_rate",
        Kind::Quantity(Dimension::BitRate, between("50 bit/s", "10 Mbit/s")),
        "Terminal: bits per second on the serial line, in each direction.",
    )
    .default("\"9600 bit/s\"", TNC2),
    key("serial_character", Kind::Integer(7, 12), "Terminal: bits of a character with start, parity and stop bits.")
        .default("10", TNC2),
    key(
        "character_interval",
        time(SPAN),
        "Terminal: from one character that the PC sends to the next, where that is longer than the serial line takes.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "serial_input",
        Kind::Word(&[
            word("always", "whatever its transmitter does"),
            word("not-while-transmitting", "the PC is held up from key-up to key-off"),
        ]),
        "Terminal: when the TNC takes characters from the serial line.",
    )
    .default("\"always\"", ASSUMED),
    key(
        "data_mode",
        Kind::Word(&[
            word("converse", "at paclen, and at the character that ends a line and a block (SENDPAC)"),
            word("transparent", "at paclen, and when packet_time is over"),
        ]),
        "Terminal: when the TNC sends what has come over the serial line.",
    )
    .default("\"converse\"", TNC2),
    key("packet_time", time(between("1 ms", "1 h")), "Terminal, transparent: when a short packet goes (PACTIME).")
        .default("\"1 s\"", TNC2),
    key(
        "packet_time_runs",
        Kind::Word(&[
            word("from-last-character", "anew from each character (PACTIME AFTER)"),
            word("from-first-character", "from the packet's first character (PACTIME EVERY)"),
        ]),
        "Terminal, transparent: from when packet_time runs.",
    )
    .default("\"from-last-character\"", TNC2),
    key(
        "turnaround",
        time(SPAN),
        "Terminal: the PC's program, from a block's last character, or the start of a round trip, to the first character it sends.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "send_buffer",
        Kind::Quantity(Dimension::Size, BUFFER),
        "Terminal: characters not yet acknowledged that the TNC holds before it holds the PC up.",
    )
    .default("\"8 KiB\"", ASSUMED),
    key(
        "receive_buffer",
        Kind::Quantity(Dimension::Size, BUFFER),
        "Terminal: characters on their way to the PC from which on the TNC sends RNR, until half of them are left.",
    )
    .default("\"8 KiB\"", ASSUMED),
];
