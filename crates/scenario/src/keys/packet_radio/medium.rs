//! Keys of a radio channel or a wire.

use super::super::common::PROFILE;
use super::super::{Bounds, Key, Kind, above, between, key, time, word};
use super::{ASSUMED, KISS, TNC2};
use crate::quantity::Dimension;

const WAIT: Bounds = between("0 s", "10 s");
const SHARE: Bounds = above("0 %", "100 %");

/// Keys of `[[medium]]` beside its name, and of `[channel]`.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("radio", "half duplex, shared by all its stations"),
            word("wire", "full duplex, between two stations"),
        ]),
        "What kind of medium it is.",
    )
    .default("\"radio\"", ASSUMED),
    key(
        "bit_rate",
        Kind::Quantity(Dimension::BitRate, between("1 bit/s", "1 Gbit/s")),
        "Bits per second on the medium.",
    )
    .by("type", &[("radio", "\"1200 bit/s\""), ("wire", "\"9600 bit/s\"")], ASSUMED)
    .both(),
    key("transmit_delay", time(WAIT), "From key-up to the first bit of the first frame (TXDELAY).")
        .by("type", &[("radio", "\"300 ms\""), ("wire", "\"0 s\"")], TNC2)
        .both(),
    key("transmit_tail", time(WAIT), "From the last bit of the last frame to key-off (TXTAIL).")
        .by("type", &[("radio", "\"20 ms\""), ("wire", "\"0 s\"")], ASSUMED)
        .both(),
    key("channel_wait", time(WAIT), "Radio: wait after the channel goes clear, before persistence (DWAIT).")
        .default("\"0 s\"", ASSUMED),
    key(
        "persistence",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Radio: chance that a waiting station transmits in a slot, (PERSIST + 1) / 256.",
    )
    .default("\"25 %\"", KISS)
    .both(),
    key("slot_time", time(above("0 s", "10 s")), "Radio: time from one draw of persistence to the next (SLOTTIME).")
        .label("Slot time")
        .default("\"100 ms\"", KISS)
        .both(),
    key(
        "carrier_detection",
        time(WAIT),
        "Radio: from key-up until the other stations' receivers notice it (DCD); key-off they notice at once.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "receiver_recovery",
        time(WAIT),
        "Radio: from a station's own key-off until its receiver hears again; what began before is lost to it.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "bit_error_rate",
        Kind::Number(between("0", "0.5")),
        "Chance that a bit arrives wrong, independently of others; a frame with a wrong bit is lost to that receiver.",
    )
    .default("0", ASSUMED),
    key(
        "capture",
        Kind::Flag,
        "Radio: whether of frames that overlap at a receiver the one that began first survives; without it, none does.",
    )
    .default("false", ASSUMED),
    key(
        "full_duplex",
        Kind::Flag,
        "Radio: whether stations transmit whatever they hear, and hear while they transmit (FULLDUP).",
    )
    .default("false", KISS),
    key(
        "transmission_limit",
        Kind::QuantityOr(Dimension::Time, above("10 s", "1 h"), &[word("none", "no watchdog")]),
        "How long a transmitter's watchdog lets it transmit at a time; what does not fit is cut off and lost.",
    )
    .default("\"none\"", ASSUMED),
    key(
        "frames_built",
        Kind::Word(&[
            word("at-key-up", "before the transmit delay"),
            word("after-transmit-delay", "when the first frame begins, so that what came meanwhile goes along"),
        ]),
        "When the frames of a burst are settled.",
    )
    .default("\"at-key-up\"", super::THE_NET_NODE),
];

/// The same keys of one station, where its equipment differs.
pub const OF_STATION: &[Key] = &[
    key("transmit_delay", time(WAIT), "Its transmit delay (TXDELAY); without it, the medium's.").optional().both(),
    key("transmit_tail", time(WAIT), "Its transmit tail (TXTAIL); without it, the medium's.").optional().both(),
    key("channel_wait", time(WAIT), "Its wait after the channel goes clear (DWAIT); without it, the medium's.")
        .optional(),
    key(
        "persistence",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Its persistence (PERSIST); without it, the medium's.",
    )
    .optional()
    .both(),
    key("slot_time", time(above("0 s", "10 s")), "Its slot time (SLOTTIME); without it, the medium's.")
        .optional()
        .both(),
];
