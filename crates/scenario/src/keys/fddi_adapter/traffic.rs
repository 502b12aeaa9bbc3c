//! Keys of `[traffic]`.

use super::super::{Key, Kind, above, between, key, word};
use super::{ASSUMED, KALKUNTE};
use crate::quantity::Dimension;

/// Direction of the frames and the stages they pass.
pub const DIRECTION: &[Key] = &[
    key(
        "direction",
        Kind::Word(&[
            word("receive", "from the ring to the host"),
            word("transmit", "from the host to the ring"),
            word("both", "both at once; the ring's time is shared between them"),
            word("none", "no frames: the bus, its memory and other nodes alone"),
        ]),
        "Direction of the frames.",
    )
    .default("\"receive\"", KALKUNTE),
    key(
        "through",
        Kind::Word(&[
            word("adapter", "all stages"),
            word(
                "ring-memory-controller",
                "only FIFOs, ring memory controller and parser, between ring and packet memory",
            ),
            word("host-interface", "only the DMA channels and the bus, between packet memory and host"),
        ]),
        "Through which stages, to try one of them alone.",
    )
    .default("\"adapter\"", KALKUNTE),
];

/// Lengths and types.
pub const SIZES: &[Key] = &[
    key(
        "frame_size",
        Kind::Quantity(Dimension::Size, between("20 B", "4500 B")),
        "Length of a frame, or its mean, from start delimiter to frame status.",
    )
    .default("\"69 B\"", KALKUNTE),
    key(
        "mix",
        Kind::Word(&[
            word("constant", "all frames have frame_size"),
            word("exponential", "exponential about frame_size, between 20 and 4496 bytes"),
            word("four-mode", "normal about 60, 576, 1518 and 4496 bytes: 29, 67, 3 and 1 % of the frames"),
            word("five-mode", "normal about 33, 80, 576, 1518 and 4496 bytes: 26, 15, 55, 3 and 1 % of the frames"),
        ]),
        "How lengths are distributed.",
    )
    .default("\"constant\"", KALKUNTE),
    key(
        "middle_share",
        Kind::Quantity(Dimension::Fraction, between("0 %", "99 %")),
        "Share of the frames about 576 bytes in the five-mode mix, at the cost of all others; without it, 55 %.",
    )
    .optional(),
    key("management_share", Kind::Quantity(Dimension::Fraction, SHARE), "Share of station management frames.")
        .default("\"0 %\"", KALKUNTE),
    key("plain_share", Kind::Quantity(Dimension::Fraction, SHARE), "Share of LLC frames without a SNAP header.")
        .default("\"0 %\"", KALKUNTE),
];

const SHARE: super::super::Bounds = between("0 %", "100 %");

/// When frames come.
pub const ARRIVALS: &[Key] = &[
    key(
        "load",
        Kind::QuantityOr(
            Dimension::BitRate,
            between("0 bit/s", "100 Mbit/s"),
            &[
                word("saturating", "frames follow each other as fast as the ring brings or the adapter takes them"),
                word("sustainable", "the saturated throughput is measured first; then frames come at a share of it"),
                word("single", "a frame comes when the one before is through, after a pause"),
            ],
        ),
        "Offered load, per direction.",
    )
    .label("Offered load")
    .default("\"saturating\"", KALKUNTE),
    key(
        "sustainable_share",
        Kind::Quantity(Dimension::Fraction, above("0 %", "100 %")),
        "Share of the saturated throughput that a sustainable load is.",
    )
    .default("\"95 %\"", ASSUMED),
    key(
        "arrivals",
        Kind::Word(&[
            word("exponential", "independent exponential gaps between frames"),
            word("constant", "even gaps"),
            word("normal", "normal gaps, draws below zero drawn again"),
        ]),
        "How the gaps between frames are distributed; a sustainable load comes at even intervals.",
    )
    .default("\"exponential\"", KALKUNTE),
    key(
        "deviation",
        Kind::Quantity(Dimension::Fraction, SHARE),
        "Standard deviation of normal gaps, relative to their mean.",
    )
    .default("\"20 %\"", ASSUMED),
    key("burst", Kind::Integer(1, 10_000), "Frames that follow each other without a gap, before each gap.")
        .default("1", KALKUNTE),
];
