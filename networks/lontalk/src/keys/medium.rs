//! Keys of a channel. The times of the standard channels derive from their stored communication parameters at a
//! 10 MHz input clock: one processor cycle is 0.6 µs, beta 2 is 20 x control + 40 cycles, beta 1 is
//! 285 + beta 2 + 41 x interpacket padding + 317 cycles, the packet cycle 1794 cycles for each unit.

use super::{ASSUMED, STANDARD, TRANSCEIVERS, ip852};
use sojourn_scenario::keys::common::{PROFILE, SOME_TIME, SPAN};
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

const DERIVED: &str = "open LON Stack EX, standard transceiver table; EIA-709.1 reference MAC at 10 MHz";

/// Keys of `[[medium]]` beside its name, and of `[channel]`.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "channel",
        Kind::Word(&[
            word("TP/FT-10", "free topology twisted pair, 78 kbit/s"),
            word("TP/XF-78", "transformer isolated twisted pair, 78 kbit/s"),
            word("TP/XF-1250", "transformer isolated twisted pair, 1.25 Mbit/s"),
            word("TP/RS485-39", "RS-485, 39 kbit/s"),
            word("TP/RS485-78", "RS-485, 78 kbit/s"),
            word("TP/RS485-625", "RS-485, 625 kbit/s"),
            word("PL-20N", "power line, 125 to 140 kHz, 3.987 kbit/s (PLT-22, PL 3120), without the CENELEC access protocol"),
            word(
                ip852::CHANNEL,
                "an IP network (ANSI/CTA-852, EN 14908-4) that carries packets in UDP datagrams between its members",
            ),
        ]),
        "Standard channel type; every other key of the channel overrides one of its values.",
    )
    .default("\"TP/FT-10\"", ASSUMED),
    key(
        "segments",
        Kind::Integer(1, 2),
        "2: the second half of each group of stations is on a segment of its own, behind a configured router; single stations stay.",
    )
    .optional(),
    key("bit_rate", Kind::Quantity(Dimension::BitRate, between("300 bit/s", "10 Mbit/s")), "Bit rate on the wire.").by(
        "channel",
        &[
            ("TP/FT-10", "\"78.125 kbit/s\""),
            ("TP/XF-78", "\"78.125 kbit/s\""),
            ("TP/XF-1250", "\"1.25 Mbit/s\""),
            ("TP/RS485-39", "\"39.0625 kbit/s\""),
            ("TP/RS485-78", "\"78.125 kbit/s\""),
            ("TP/RS485-625", "\"625 kbit/s\""),
            ("PL-20N", "\"3.987 kbit/s\""),
        ],
        "open LON Stack EX, standard transceiver table; PLT-22 user guide (Echelon), table 3.3, for PL-20N",
    ),
    key("preamble", Kind::Quantity(Dimension::Bits, between("4 bit", "1000 bit")), "Bit-sync bits before each packet.")
        .by(
            "channel",
            &[
                ("TP/FT-10", "\"8 bit\""),
                ("TP/XF-78", "\"8 bit\""),
                ("TP/XF-1250", "\"16 bit\""),
                ("TP/RS485-39", "\"4 bit\""),
                ("TP/RS485-78", "\"8 bit\""),
                ("TP/RS485-625", "\"8 bit\""),
                ("PL-20N", "\"33.5 bit\""),
            ],
            "open LON Stack EX, standard transceiver table; the unit of the stored length is an assumption. PL-20N: PLT-22 user guide (Echelon), table 3.3",
        ),
    key("beta1", time(SOME_TIME), "Beta 1: idle time from the end of a packet to the first slot.").by(
        "channel",
        &[
            ("TP/FT-10", "\"898.2 µs\""),
            ("TP/XF-78", "\"802.2 µs\""),
            ("TP/XF-1250", "\"385.2 µs\""),
            ("TP/RS485-39", "\"850.8 µs\""),
            ("TP/RS485-78", "\"802.2 µs\""),
            ("TP/RS485-625", "\"778.2 µs\""),
            ("PL-20N", "\"4.911 ms\""),
        ],
        DERIVED,
    ),
    key("beta2", time(SOME_TIME), "Beta 2: width of a slot, priority or randomizing.").by(
        "channel",
        &[
            ("TP/FT-10", "\"168 µs\""),
            ("TP/XF-78", "\"72 µs\""),
            ("TP/XF-1250", "\"24 µs\""),
            ("TP/RS485-39", "\"96 µs\""),
            ("TP/RS485-78", "\"72 µs\""),
            ("TP/RS485-625", "\"48 µs\""),
            ("PL-20N", "\"2.016 ms\""),
        ],
        DERIVED,
    ),
    key(
        "packet_cycle",
        time(SOME_TIME),
        "Packet cycle: idle time after which a station lowers its backlog estimate by one.",
    )
    .by(
        "channel",
        &[
            ("TP/FT-10", "\"5.382 ms\""),
            ("TP/XF-78", "\"4.3056 ms\""),
            ("TP/XF-1250", "\"4.3056 ms\""),
            ("TP/RS485-39", "\"5.382 ms\""),
            ("TP/RS485-78", "\"4.3056 ms\""),
            ("TP/RS485-625", "\"4.3056 ms\""),
            ("PL-20N", "\"67.8132 ms\""),
        ],
        DERIVED,
    ),
    key(
        "carrier_sense_latency",
        time(SPAN),
        "From the start of a transmission until all other stations sense it; shorter than beta2.",
    )
    .by(
        "channel",
        &[
            ("TP/FT-10", "\"115.2 µs\""),
            ("TP/XF-78", "\"51.2 µs\""),
            ("TP/XF-1250", "\"15 µs\""),
            ("TP/RS485-39", "\"76.8 µs\""),
            ("TP/RS485-78", "\"51.2 µs\""),
            ("TP/RS485-625", "\"15 µs\""),
            ("PL-20N", "\"1.831 ms\""),
        ],
        "LPT-11 user guide (Echelon) for TP/FT-10: 9 bits; PLT-22 user guide for PL-20N: 7.3 bits; assumption for the others",
    ),
    key("priority_slots", Kind::Integer(0, 127), "Priority slots after every packet.").by(
        "channel",
        &[
            ("TP/FT-10", "4"),
            ("TP/XF-78", "4"),
            ("TP/XF-1250", "16"),
            ("TP/RS485-39", "4"),
            ("TP/RS485-78", "4"),
            ("TP/RS485-625", "4"),
            ("PL-20N", "8"),
        ],
        TRANSCEIVERS,
    ),
    key("domain_length", Kind::Choice(&[0, 1, 3, 6]), "Bytes of the domain ID in every packet.").default("0", ASSUMED),
    key("base_window", Kind::Integer(1, 1024), "Base window: randomizing slots per unit of backlog.")
        .default("16", STANDARD),
    key("backlog_cap", Kind::Integer(1, 63), "Largest backlog estimate.").default("63", STANDARD),
    key("backlog_start", Kind::Integer(1, 63), "Backlog estimate of a station at the start.").default("1", STANDARD),
    key(
        "backlog_estimate",
        Kind::Word(&[
            word("per-station", "each station keeps its own estimate, from the packets it receives"),
            word("shared", "all stations have the same estimate, as analytic models assume"),
        ]),
        "Whether stations estimate the backlog independently.",
    )
    .default("\"per-station\"", STANDARD),
    key(
        "post_transmission_pause",
        Kind::Integer(0, 1024),
        "Extra slots that a station waits after its own packet, on channels with priority slots.",
    )
    .default("16", STANDARD),
    key(
        "late_priority_upgrade",
        Kind::Flag,
        "Whether a priority packet that appears after beta1 may still use its slot.",
    )
    .default("false", "EIA-709.1 reference MAC"),
    key("priority_needs_crc", Kind::Flag, "Whether priority slots are used only after a packet with a valid CRC.")
        .default("false", "EIA-709.1 reference MAC"),
    key(
        "collision_abort",
        Kind::Word(&[
            word("never", "it transmits to the end, then tries again"),
            word("end-of-preamble", "it stops at the end of its preamble"),
            word("immediate", "it stops as soon as it senses the other"),
        ]),
        "What a station does with its transmission when it detects a collision.",
    )
    .default("\"never\"", ASSUMED),
    key("collision_limit", Kind::Integer(1, 255), "Detected collisions after which a packet is dropped.")
        .default("255", "EIA-709.1 reference MAC"),
    key("capture", Kind::Flag, "Whether the first of overlapping packets survives (capture).")
        .default("false", ASSUMED),
    key("skew", time(SPAN), "Largest offset between the slot timing of stations.").default("\"0 s\"", ASSUMED),
    key("bit_error_rate", Kind::Number(between("0", "0.1")), "Bit error rate.").default("0.0", ASSUMED).changeable(),
];
