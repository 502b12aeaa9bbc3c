//! Keys of voice: codec, packets and jitter buffer, of measurements and of simulated flows.

use super::laws::program_time;
use super::live::group;
use super::{Bounds, Key, Kind, Word, above, between, key, time, word};

const DESIGN: &str = "Sojourn";

/// Speech in a packet: RFC 3551 asks receivers for 200 ms.
const PACKET: Bounds = between("125 us", "200 ms");

/// Codecs, each at one bit rate; those of the metrics crate's table.
pub const CODECS: &[Word] = &[
    word("g711", "ITU-T G.711 with packet loss concealment (Appendix I), 64 kbit/s"),
    word("g711-plain", "ITU-T G.711 without concealment"),
    word("g729a", "ITU-T G.729 Annex A with voice activity detection (Annex B), 8 kbit/s"),
    word("g722", "ITU-T G.722, wideband, 64 kbit/s; not rated under loss"),
    word("amr-wb-12.65", "AMR-WB (ITU-T G.722.2), wideband, 12.65 kbit/s"),
    word("amr-wb-23.05", "AMR-WB, 23.05 kbit/s"),
    word("amr-wb-23.85", "AMR-WB, 23.85 kbit/s"),
    word("evs-9.6", "EVS (3GPP TS 26.445), super-wideband, 9.6 kbit/s"),
    word("evs-13.2", "EVS, 13.2 kbit/s"),
    word("evs-16.4", "EVS, 16.4 kbit/s"),
    word("evs-24.4", "EVS, 24.4 kbit/s"),
    word("evs-32", "EVS, 32 kbit/s"),
    word("evs-48", "EVS, 48 kbit/s"),
    word("opus-16", "Opus (RFC 6716), super-wideband, constant 16 kbit/s"),
    word("opus-28", "Opus, 28 kbit/s"),
    word("opus-40", "Opus, 40 kbit/s"),
];

/// When packets are sent.
pub const SPEECH: &[Word] = &[
    word("continuous", "a packet every packet time"),
    word("talkspurts", "talkspurts and pauses, without packets in pauses"),
];

/// Who speaks in a call.
pub const DIRECTIONS: &[Word] = &[
    word("both", "the ends of the flow speak to each other"),
    word("forward", "`from` alone, to `to`: one stream, as of an announcement, or one of two that differ"),
];

/// How a jitter buffer delays.
pub const JITTER_BUFFERS: &[Word] = &[
    word("fixed", "the playout delay of the first packet after the warm-up holds for all"),
    word(
        "adaptive",
        "each talkspurt is played at mean delay and four deviations of the packets before; speech without pauses is stretched to what \
         99 % of the last packets keep within (Liang, Färber, Girod, IEEE Trans. Multimedia 5, 2003)",
    ),
];

const CODEC: Key = key("codec", Kind::Word(CODECS), "Codec.").default("\"g711\"", DESIGN);
const PACKET_TIME: Key = key("packet_time", time(PACKET), "Speech in a packet, and the interval between packets.")
    .default("\"20 ms\"", "RFC 3551, section 4.2");
const PLAYOUT_DELAY: Key = key("playout_delay", time(between("0 s", "60 s")), "Playout delay of the first packet.")
    .default("\"40 ms\"", DESIGN);
const BUFFER: Key =
    key("buffer", time(between("125 us", "60 s")), "Speech that the jitter buffer holds, at least one packet.")
        .default("\"200 ms\"", DESIGN);

/// Keys of `[measure.voice]`.
pub const MEASURED: &[Key] = &[
    CODEC.live().flag_with_help("voice", group::IP, "A voice stream in place of a schedule, by its codec."),
    PACKET_TIME.live(),
    PLAYOUT_DELAY.live(),
    BUFFER.live(),
];

/// Keys of `voice` of a simulated flow.
pub const SIMULATED: &[Key] = &[
    key("channels", Kind::Integer(1, 10_000), "Simultaneous calls of each sender, in both directions.")
        .label("Voice channels")
        .default("1", DESIGN),
    CODEC,
    PACKET_TIME,
    key("speech", Kind::Word(SPEECH), "When packets are sent.").default("\"continuous\"", DESIGN),
    key(
        "talkspurt",
        program_time(above("0 s", "1 h")),
        "Talkspurts: mean length of one, exponentially distributed, or its distribution.",
    )
    .default("\"1.004 s\"", "ITU-T P.59"),
    key(
        "pause",
        program_time(above("0 s", "1 h")),
        "Talkspurts: mean length of a pause, exponentially distributed, or its distribution.",
    )
    .default("\"1.587 s\"", "ITU-T P.59"),
    key("direction", Kind::Word(DIRECTIONS), "Who speaks.").default("\"both\"", DESIGN),
    key(
        "duration",
        time(above("0 s", "200 day")),
        "How long a call lasts from its first packet, pauses included; by default until the run ends.",
    )
    .optional(),
    key("jitter_buffer", Kind::Word(JITTER_BUFFERS), "Jitter buffer.")
        .default("\"fixed\"", "Ramjee, Kurose, Towsley, Schulzrinne, INFOCOM 1994, algorithm 1"),
    PLAYOUT_DELAY,
    BUFFER,
];
