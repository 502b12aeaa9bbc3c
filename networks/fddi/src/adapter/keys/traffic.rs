//! Keys of `[traffic]`.

use super::{ASSUMED, KALKUNTE};
use sojourn_scenario::keys::{Key, Kind, above, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// Direction of the frames and the stages they pass.
pub const DIRECTION: &[Key] = &[
    key(
        "direction",
        Kind::Word(&[
            word("receive", "from the ring to the host"),
            word("transmit", "from the host to the ring"),
            word("both", "both at once, sharing the ring"),
            word("none", "no frames; only bus, memory and other nodes"),
        ]),
        "Direction of the frames.",
    )
    .default("\"receive\"", KALKUNTE),
    key(
        "stages",
        Kind::Word(&[
            word("adapter", "all stages"),
            word(
                "ring-memory-controller",
                "FIFOs, ring memory controller and parser only, between ring and packet memory",
            ),
            word("host-interface", "DMA channels and bus only, between packet memory and host"),
        ]),
        "Stages that frames pass; one alone for tests of a part.",
    )
    .default("\"adapter\"", KALKUNTE),
];

/// Keys of frame lengths and types.
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
        "Distribution of frame lengths.",
    )
    .default("\"constant\"", KALKUNTE),
    key(
        "middle_share",
        Kind::Quantity(Dimension::Fraction, between("0 %", "99 %")),
        "Share of the mode at 576 bytes in the five-mode mix; the others shrink in proportion. 55 % if left out.",
    )
    .optional(),
    key("management_share", Kind::Quantity(Dimension::Fraction, SHARE), "Share of station management (SMT) frames.")
        .default("\"0 %\"", KALKUNTE)
        .changeable(),
    key("llc_share", Kind::Quantity(Dimension::Fraction, SHARE), "Share of LLC frames without a SNAP header.")
        .default("\"0 %\"", KALKUNTE)
        .changeable(),
];

const SHARE: sojourn_scenario::keys::Bounds = between("0 %", "100 %");

/// Keys of the arrivals of frames.
pub const ARRIVALS: &[Key] = &[
    key(
        "load",
        Kind::QuantityOr(
            Dimension::BitRate,
            between("0 bit/s", "100 Mbit/s"),
            &[
                word("saturating", "back-to-back frames, as fast as ring and adapter allow"),
                word(
                    "sustainable",
                    "the saturated throughput is measured first, then `sustainable_share` of it is offered",
                ),
                word("single", "one frame at a time, each after a pause"),
            ],
        ),
        "Offered load, per direction.",
    )
    .label("Offered load")
    .default("\"saturating\"", KALKUNTE),
    key(
        "sustainable_share",
        Kind::Quantity(Dimension::Fraction, above("0 %", "100 %")),
        "Sustainable load as a share of the saturated throughput.",
    )
    .default("\"95 %\"", ASSUMED),
    key(
        "arrivals",
        Kind::Word(&[
            word("exponential", "independent exponential gaps between frames"),
            word("constant", "constant gaps"),
            word("normal", "normal gaps, truncated at zero"),
        ]),
        "Distribution of the gaps between frames; a sustainable load has constant gaps.",
    )
    .default("\"exponential\"", KALKUNTE),
    key(
        "deviation",
        Kind::Quantity(Dimension::Fraction, between("0 %", "30 %")),
        "Standard deviation of normal gaps, relative to their mean.",
    )
    .default("\"20 %\"", ASSUMED)
    .beyond("gaps that vary more: exponential, 100 %"),
    key("burst", Kind::Integer(1, 10_000), "Burst length: back-to-back frames before each gap.").default("1", KALKUNTE),
];
