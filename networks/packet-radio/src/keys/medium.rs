//! Keys of a radio channel or a wire. The name that KISS or a TNC gives a parameter stands in brackets.

use super::{ASSUMED, KISS, TNC2};
use sojourn_scenario::keys::common::PROFILE;
use sojourn_scenario::keys::{Bounds, Key, Kind, Target, Variant, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const DELAY: Bounds = between("0 s", "10 s");
const PROBABILITY: Bounds = above("0 %", "100 %");

const FADING: &[Key] = &[
    key(
        "bit_error_rate",
        Kind::Number(between("0", "0.5")),
        "Bit error rate in the bad state; that of the good one is the medium's bit_error_rate.",
    ),
    key("good", time(above("0 s", "24 h")), "Mean time in the good state."),
    key("bad", time(above("0 s", "24 h")), "Mean time in the bad state."),
];

const FRAMING: &[Variant] = &[
    Variant {
        word: "fx25",
        help: "FX.25: a Reed-Solomon block around each frame; frames too long for one are sent without it",
        keys: &[&[key(
            "check",
            Kind::Choice(&[16, 32, 64]),
            "Check octets of a block: half as many wrong octets are corrected.",
        )
        .default("16", ASSUMED)]],
    },
    Variant {
        word: "il2p",
        help: "IL2P: a packet with Reed-Solomon codes in place of HDLC; frames of more than 1023 octets are sent without it",
        keys: &[&[key("crc", Kind::Flag, "Whether a CRC follows each packet.").default("true", ASSUMED)]],
    },
];

/// How a carrier that has gone off may still be detected.
const DCD_HOLD: &[Variant] = &[
    Variant {
        word: "time",
        help: "for a constant time: the time constant of a detector's circuit",
        keys: &[&[key("time", time(DELAY), "How long.")]],
    },
    Variant {
        word: "bits",
        help: "for a constant number of bit times: the length of a digital detector's history",
        keys: &[&[key("bits", Kind::Integer(0, 10_000), "How many.")]],
    },
    Variant {
        word: "ones",
        help: "until the receiver has delivered a run of 1 bits; the bits of its noise are random",
        keys: &[&[key(
            "run",
            Kind::Integer(1, 12),
            "1 bits in a row: a run of n takes 2 (2^n - 1) random bits on average.",
        )]],
    },
];

const FIRST_SLOT: Kind = Kind::Word(&[
    word("at-once", "as soon as the channel is idle (KISS)"),
    word("after-slottime", "when it has been idle for a slot time (Dire Wolf, Kantronics, Linux hdlcdrv)"),
]);

/// Keys of `[[path_loss]]` beside its name.
pub const PATH_LOSS: &[Key] = &[
    key(
        "between",
        Kind::Names(Target::Station, &[]),
        "Two names: each station of the first and each of the second hear each other with this loss, the same in both directions.",
    ),
    key("loss", Kind::Quantity(Dimension::Level, between("0 dB", "200 dB")), "Path loss, antenna gains subtracted."),
];

/// Keys of `[[medium]]` beside its name, and of `[channel]`.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("radio", "half duplex, shared by all its stations"),
            word("wire", "full duplex, between two stations"),
        ]),
        "The type of medium.",
    )
    .default("\"radio\"", ASSUMED),
    key(
        "bit_rate",
        Kind::Quantity(Dimension::BitRate, between("1 bit/s", "1 Gbit/s")),
        "Bits per second on the medium.",
    )
    .by("type", &[("radio", "\"1200 bit/s\""), ("wire", "\"9600 bit/s\"")], ASSUMED)
    .both(),
    key("txdelay", time(DELAY), "From key-up to the first bit of the first frame (TXDELAY).")
        .by("type", &[("radio", "\"300 ms\""), ("wire", "\"0 s\"")], TNC2)
        .both(),
    key("txtail", time(DELAY), "From the last bit of the last frame to key-off (TXTAIL).")
        .by("type", &[("radio", "\"20 ms\""), ("wire", "\"0 s\"")], ASSUMED)
        .both(),
    key("dwait", time(DELAY), "Radio: idle time after the carrier drops before the first slot (DWAIT).")
        .default("\"0 s\"", ASSUMED),
    key(
        "persistence",
        Kind::Quantity(Dimension::Fraction, PROBABILITY),
        "Radio: probability that a waiting station transmits in a slot, (PERSIST + 1) / 256.",
    )
    .default("\"25 %\"", KISS)
    .both(),
    key("slottime", time(above("0 s", "10 s")), "Radio: interval between persistence draws (SLOTTIME).")
        .label("Slot time")
        .default("\"100 ms\"", KISS)
        .both(),
    // optional, so that a scenario without it is what it was before there was any
    key("first_slot", FIRST_SLOT, "Radio: when a waiting station draws first; by default at once, as KISS has it.").optional(),
    key("dcd_delay", time(DELAY), "Radio: from key-up until other stations detect the carrier (DCD).")
        .default("\"0 s\"", ASSUMED),
    key(
        "dcd_hold",
        Kind::Variants(DCD_HOLD),
        "Radio: how long other stations still detect a carrier that has gone off. Without it they detect key-off at once.",
    )
    .optional(),
    key(
        "receiver_recovery",
        time(DELAY),
        "Radio: from a station's own key-off until it can receive; it misses frames that began before.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "bit_error_rate",
        Kind::Number(between("0", "0.5")),
        "Bit error rate, errors independent; a receiver loses a frame with a bit error.",
    )
    .default("0", ASSUMED)
    .changeable(),
    key(
        "capture",
        Kind::Flag,
        "Radio: whether a receiver keeps the first of overlapping frames (FM capture); without it, all are lost.",
    )
    .default("false", ASSUMED),
    key(
        "capture_ratio",
        Kind::Quantity(Dimension::Level, above("0 dB", "60 dB")),
        "Radio: a receiver keeps the frame that is stronger than each carrier that overlaps it by at least this, by transmit_power \
         and [[path_loss]]; `capture` holds for weaker differences. Without it levels do not matter.",
    )
    .optional(),
    key(
        "fading",
        Kind::Table(FADING),
        "Radio: two-state fading (Gilbert-Elliott): the path between two stations is good or bad for exponential times, \
         and independent of other paths. Without it, errors are independent.",
    )
    .optional(),
    key(
        "framing",
        Kind::Variants(FRAMING),
        "Radio: forward error correction around the frames of all stations. Without it, a frame with a bit error is lost.",
    )
    .optional(),
    key(
        "full_duplex",
        Kind::Flag,
        "Radio: whether stations transmit without carrier sense, and receive while they transmit (FULLDUP).",
    )
    .default("false", KISS),
    key(
        "transmission_limit",
        Kind::QuantityOr(Dimension::Time, above("10 s", "1 h"), &[word("none", "no watchdog")]),
        "Longest transmission that the transmitter's watchdog timer allows; the rest is cut off and lost.",
    )
    .default("\"none\"", ASSUMED),
    key(
        "frames_built",
        Kind::Word(&[
            word("at-key-up", "before TXDELAY"),
            word("after-txdelay", "when the first frame begins; frames queued during TXDELAY are included"),
        ]),
        "When the frames of a burst are taken from the queue.",
    )
    .default("\"at-key-up\"", super::THE_NET_NODE),
];

/// The same keys of one station, where its equipment differs.
pub const OF_STATION: &[Key] = &[
    key("txdelay", time(DELAY), "The station's key-up delay (TXDELAY); by default the medium's.").optional().both(),
    key("txtail", time(DELAY), "The station's TXTAIL; by default the medium's.").optional().both(),
    key("dwait", time(DELAY), "The station's DWAIT; by default the medium's.").optional(),
    key(
        "persistence",
        Kind::Quantity(Dimension::Fraction, PROBABILITY),
        "The station's persistence (PERSIST); by default the medium's.",
    )
    .optional()
    .both(),
    key("slottime", time(above("0 s", "10 s")), "The station's SLOTTIME; by default the medium's.").optional().both(),
    key("first_slot", FIRST_SLOT, "When the station draws first; by default as the medium says.").optional(),
    key(
        "dcd_hold",
        Kind::Variants(DCD_HOLD),
        "How long the station still detects a carrier that has gone off; by default the medium's.",
    )
    .optional(),
    key(
        "frame_error_rate",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Share of the station's frames, of any length and kind, that it transmits with a wrong FCS (Dire Wolf's -E); by default 0 %.",
    )
    .optional(),
    key(
        "transmit_power",
        Kind::Quantity(Dimension::Level, between("-60 dB", "60 dB")),
        "Its transmitted power against that of other stations, by default 0 dB; matters with a medium's capture_ratio.",
    )
    .optional(),
];
