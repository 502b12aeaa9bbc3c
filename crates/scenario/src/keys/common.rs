//! Keys common to all networks: the run, names, traffic.

use super::laws::{EMPIRICAL, GAMMA_SHAPE, LOGNORMAL_DEVIATION, NORMAL_DEVIATION, WEIBULL_SHAPE, time_or_law};
use super::live::group;
use super::{Bounds, Key, Kind, Preset, Shape, TableKeys, Target, Variant, Word, above, between, key, time, word};
use crate::quantity::Dimension;

pub use super::{SOME_TIME, SPAN};

const DESIGN: &str = "Sojourn";
/// A rate above zero.
pub const SOME_RATE: Bounds = above("0 /s", "1e9 /s");

/// `title`, at the top of a scenario.
pub const TITLE: Key = key("title", Kind::Text, "Title of the scenario.").default("\"\"", DESIGN).both();

/// `stations`, at the top of a scenario.
pub const STATIONS_FILE: Key =
    key("stations", Kind::Text, "A CSV file with one station a row; its columns are keys of [[station]].").optional();

/// Keys of `[network]` of every network; the words of `kind` come from the registry.
pub const NETWORK_KEYS: &[Key] =
    &[key("kind", Kind::Text, "The kind of network; `sojourn networks` lists them.").both(), PROFILE];

/// `[network]` of a network without further keys there.
pub const NETWORK: TableKeys = TableKeys {
    name: "network",
    shape: Shape::One,
    keys: &[NETWORK_KEYS],
    help: "The kind of network, and its parameter set.",
};

/// A parameter set by name or path.
pub const PROFILE: Key =
    key("profile", Kind::Text, "A parameter set: the name of one in profiles/, or the path of a TOML file.")
        .optional()
        .both()
        .flag_with_help("profile", group::RADIO, "The channel's profile: afsk-1200, g3ruh-9600, hf-300, or a file.");

/// Number of members of a station.
pub const COUNT: Key = key(
    "count",
    Kind::Integer(1, 1_000_000),
    "Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40.",
)
.label("Stations")
.default("1", DESIGN);

/// A table's own name.
pub const NAME: Key = key("name", Kind::Name, "Its name: letters, digits, - and _.").both();

/// `[run]`: duration, warm-up, replications and seed.
pub const RUN: TableKeys = TableKeys {
    name: "run",
    shape: Shape::One,
    keys: &[&[
        key("duration", time(SOME_TIME), "Observed time of each replication, after the warm-up.")
            .default("\"60 s\"", DESIGN)
            .both()
            .flag_with_help(
                "duration",
                group::IP,
                "Length of the measurement; under load, of its loaded phase. [10 s, loaded 20 s]",
            ),
        key(
            "warm_up",
            Kind::QuantityOr(Dimension::Time, SPAN, &[word("auto", "determined by MSER-5 on the first replication")]),
            "Simulated time of each replication that is not observed.",
        )
        .default("\"auto\"", DESIGN)
        .both(),
        key("replications", Kind::Integer(1, 100_000), "Number of independent replications per point.")
            .default("10", DESIGN)
            .both(),
        key("seed", Kind::Integer(0, i64::MAX as u64), "Random seed: the same seed gives the same results.")
            .default("1", DESIGN)
            .both(),
    ]],
    help: "Duration, warm-up, replications and random seed.",
};

/// `[question]`: what `sojourn find` varies and requires.
pub const QUESTION: TableKeys = TableKeys {
    name: "question",
    shape: Shape::One,
    keys: &[&[
        key("text", Kind::Text, "The question as text; the report puts the result under it.").optional(),
        key("vary", Kind::Text, "The key in question and its range: KEY=LOW:HIGH UNIT.").optional(),
        key("asked", Kind::Text, "A value to judge: whether all of [expect] is met with it.").optional(),
    ]],
    help: "What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result.",
};

/// `[[option]]`: what `sojourn advise` may change.
pub const OPTION: TableKeys = TableKeys {
    name: "option",
    shape: Shape::Many,
    keys: &[&[
        key("name", Kind::Name, "Its name: letters, digits, - and _."),
        key(
            "set",
            Kind::Settings,
            "Keys with the values that they take, by their paths: { \"flow.alarm.priority\" = true }.",
        ),
        key("cost", Kind::Number(between("0", "1e15")), "What it costs, in any unit that all options share.")
            .optional(),
        key("with", Kind::Texts, "Options that it needs: it is compared only together with them.").optional(),
        key("not_with", Kind::Texts, "Options that it excludes.").optional(),
    ]],
    help: "A change that `sojourn advise` compares with the scenario as it is. Changes no result.",
};

const INTERVAL: Key = key("interval", time(SOME_TIME), "Mean interarrival time of messages.");
const RATE: Key = key(
    "rate",
    Kind::Quantity(Dimension::Rate, SOME_RATE),
    "Messages per second of each sender; in place of interval.",
)
.optional();
/// When senders start.
pub const START: Key = key(
    "start",
    Kind::Word(&[
        word("spread", "each sender starts at a random time within its first interval"),
        word("at-once", "all senders start at the same time, as after a power failure"),
    ]),
    "When the senders start.",
)
.default("\"spread\"", DESIGN);
/// When their traffic begins.
pub const DELAY: Key =
    key("delay", time(SPAN), "Delay of the traffic after the start of the run.").default("\"0 s\"", DESIGN);
const PACED: &[Key] = &[INTERVAL, RATE, START, DELAY];

/// The kinds of `arrivals` that come on their own.
pub const OPEN_ARRIVALS: &[Variant] = ARRIVALS.split_at(9).0;
/// Those, and the closed loop.
pub const MESSAGE_ARRIVALS: &[Variant] = ARRIVALS.split_at(10).0;

/// The kinds of `arrivals`.
pub const ARRIVALS: &[Variant] = &[
    Variant { word: "poisson", help: "Poisson process: exponential interarrival times", keys: &[PACED] },
    Variant {
        word: "periodic",
        help: "one per interval",
        keys: &[
            PACED,
            &[key("jitter", time(SPAN), "Uniform random delay of each message, up to this.")
                .default("\"0 s\"", DESIGN)],
        ],
    },
    Variant {
        word: "normal",
        help: "normally distributed interarrival times, truncated at zero",
        keys: &[PACED, &[NORMAL_DEVIATION]],
    },
    Variant { word: "gamma", help: "gamma-distributed interarrival times", keys: &[PACED, &[GAMMA_SHAPE]] },
    Variant {
        word: "lognormal",
        help: "lognormally distributed interarrival times",
        keys: &[PACED, &[LOGNORMAL_DEVIATION]],
    },
    Variant { word: "weibull", help: "Weibull-distributed interarrival times", keys: &[PACED, &[WEIBULL_SHAPE]] },
    Variant {
        word: "empirical",
        help: "interarrival times drawn from measured ones",
        keys: &[EMPIRICAL, &[START, DELAY]],
    },
    Variant {
        word: "burst",
        help: "several messages at once; bursts are Poisson",
        keys: &[
            &[
                key("interval", time(SOME_TIME), "Mean interarrival time of bursts."),
                key(
                    "rate",
                    Kind::Quantity(Dimension::Rate, SOME_RATE),
                    "Bursts per second of each sender; in place of interval.",
                )
                .optional(),
                START,
                DELAY,
            ],
            &[
                key("size", Kind::Integer(1, 1_000_000), "Messages in a burst."),
                key(
                    "gap",
                    time(SPAN),
                    "Interval between the messages of a burst, which lasts less than the interval between bursts.",
                )
                .default("\"0 s\"", DESIGN),
            ],
        ],
    },
    Variant {
        word: "on-off",
        help: "on-off source: periodic while on, silent while off, both periods exponential",
        keys: &[
            &[
                key("interval", time(SOME_TIME), "Interval between the messages of an on period."),
                key(
                    "rate",
                    Kind::Quantity(Dimension::Rate, SOME_RATE),
                    "Messages per second of each sender while it is on; in place of interval.",
                )
                .optional(),
                START,
                DELAY,
            ],
            &[
                key("on", time(SOME_TIME), "Mean length of an on period."),
                key("off", time(SOME_TIME), "Mean length of an off period."),
            ],
        ],
    },
    Variant {
        word: "saturating",
        help: "closed loop: the next message when the last one is complete",
        keys: &[&[
            key("think", time_or_law(SPAN), "Think time between the end of one message and the next, or its distribution.")
                .default("\"0 s\"", DESIGN),
            START,
            DELAY,
        ]],
    },
    Variant {
        word: "heartbeat",
        help: "on change of value, with a throttle and a heartbeat",
        keys: &[&[
            key("max_interval", time(SOME_TIME), "Max send time (heartbeat): longest interval between messages."),
            key(
                "min_interval",
                time(SPAN),
                "Min send time (throttle): shortest interval between messages; an earlier change is delayed.",
            )
            .default("\"0 s\"", DESIGN),
            key(
                "change_interval",
                time(SOME_TIME),
                "Mean time between changes of the value; by default it never changes.",
            )
            .optional(),
            START,
            DELAY,
        ]],
    },
    Variant {
        word: "poll",
        help: "polls the receivers in turn",
        keys: &[&[
            key(
                "interval",
                time(SOME_TIME),
                "Interval between polls; a poll waits for the response to the last one. By default the cycle's share of each receiver.",
            )
            .optional(),
            key(
                "cycle",
                time(SOME_TIME),
                "Time in which every receiver is polled once; with interval the shortest time between rounds over all of them.",
            )
            .optional(),
            START,
            DELAY,
        ]],
    },
    Variant {
        word: "trace",
        help: "as recorded: a CSV file with the columns time (seconds), from, to, size (bytes)",
        keys: &[&[key("file", Kind::File, "The CSV file, relative to the scenario.")]],
    },
];

/// `partner` and `everyone`, in addition to the names of stations.
pub const RECEIVERS: &[Word] = &[
    word("partner", "members 1 and 2, 3 and 4, ... of the sending station send to each other"),
    word("everyone", "every other station"),
];

/// Keys of every `[[flow]]` between two ends.
pub const FLOW: &[Key] = &[
    NAME,
    key(
        "from",
        Kind::Names(Target::Station, &[]),
        "The sender; each member of a station with count sends its own messages.",
    )
    .both(),
    key("to", Kind::Names(Target::Station, RECEIVERS), "The receiver, a list of receivers, `partner` or `everyone`.")
        .both(),
    key("arrivals", Kind::Variants(ARRIVALS), "Arrival process of the messages.").both(),
    PROBE,
];

/// Whether a flow is measured.
pub const PROBE: Key =
    key("probe", Kind::Flag, "Whether the response time of this flow is measured.").default("false", DESIGN).both();

/// The media a station is on.
pub const ON: Key = Key {
    preset: Preset::OnlyMedium,
    ..key("on", Kind::Names(Target::Medium, &[]), "The media it is attached to; by default the only one.")
};
