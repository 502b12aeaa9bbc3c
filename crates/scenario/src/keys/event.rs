//! Keys of `[[event]]`: what happens at a given time during a run. Each network declares the actions that it
//! supports.

use super::common::{NAME, SOME_TIME, SPAN};
use super::{Key, Kind, Target, Word, key, time, word};

/// The table's name.
pub const TABLE: &str = "event";

const DESIGN: &str = "Sojourn";

/// What an event does to what it names.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// The word of `action`, and what it means.
    pub word: Word,
    /// What it acts on.
    pub on: Affects,
    /// The word of the action that ends it; none of what has no end.
    pub ended_by: Option<&'static str>,
    /// Whether it takes a `size`.
    pub sized: bool,
    /// Whether it takes a `spread`: stations begin.
    pub spread: bool,
}

/// What an action acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affects {
    /// The stations that the key `stations` names.
    Stations,
    /// The media that the key `media` names: all their links.
    Media,
    /// The flows that the key `flows` names.
    Flows,
    /// The keys that the key `set` names.
    Settings,
}

impl Affects {
    /// The key that names what is affected.
    pub const fn key(self) -> &'static str {
        match self {
            Affects::Stations => "stations",
            Affects::Media => "media",
            Affects::Flows => "flows",
            Affects::Settings => "set",
        }
    }
}

/// An action on something, and the one that ends it; without a size or a spread.
pub const fn action(word: Word, on: Affects, ended_by: Option<&'static str>) -> Action {
    Action { word, on, ended_by, sized: false, spread: false }
}

/// A flow begins.
pub const START: Action = action(word("start", "the flow sends"), Affects::Flows, Some("stop"));
/// A flow ends.
pub const STOP: Action = action(word("stop", "the flow sends nothing more"), Affects::Flows, Some("start"));
/// Keys take other values.
pub const SET: Action =
    action(word("set", "keys take other values, until the end if there is one"), Affects::Settings, Some("set"));

/// An action that gives stations power, at its begin or its end.
pub const fn power(word: Word, ended_by: Option<&'static str>) -> Action {
    Action { spread: true, ..action(word, Affects::Stations, ended_by) }
}

/// Their words.
pub const fn words<const N: usize>(actions: &[Action; N]) -> [Word; N] {
    let mut words = [actions[0].word; N];
    let mut at = 0;
    while at < N {
        words[at] = actions[at].word;
        at += 1;
    }
    words
}

/// When an event happens, and for how long.
pub const SCHEDULE: &[Key] = &[
    NAME,
    key("at", Kind::Times(SPAN), "When it happens, from the start of the run, warm-up included; or a list of times.")
        .optional(),
    key("every", time(SOME_TIME), "It happens again each time this has passed since `at`.").optional(),
    key(
        "mean_time_between",
        time(SOME_TIME),
        "Mean operating time between failures (MTBF, IEC 60050-192): from the end of one to the next, exponential; each of \
         what is named fails on its own.",
    )
    .optional(),
    key("mean_time_to_repair", time(SOME_TIME), "Mean time from a failure to its end (MTTR), exponential.").optional(),
    key("until", time(SOME_TIME), "When it ends, from the start of the run; without it and `duration` it does not end.")
        .optional(),
    key("duration", time(SOME_TIME), "How long it lasts, in place of `until`.").optional(),
];

/// The stations that an event affects.
pub const STATIONS: Key = key("stations", Kind::Names(Target::Station, &[]), "The stations it affects.").optional();
/// The media that an event affects.
pub const MEDIA: Key =
    key("media", Kind::Names(Target::Medium, &[]), "The media it affects, with all their links.").optional();
/// The flows that an event affects.
pub const FLOWS: Key = key("flows", Kind::Names(Target::Flow, &[]), "The flows it affects, by name.").optional();
/// How many messages a burst has.
pub const SIZE: Key =
    key("size", Kind::Integer(1, 1_000_000), "Of a burst: messages of each flow at once.").default("1", DESIGN);
/// When applications begin after power-up.
pub const SPREAD: Key = key(
    "spread",
    time(SPAN),
    "With power-up and restart, and at the end of power-down: applications of each station begin at a random time, uniform \
     between 0 and this after the station is on. LonMark's configuration property of a power-up delay is SCPTpwrUpDelay.",
)
.default("\"0 s\"", DESIGN);
/// The keys that an event sets.
pub const SETTINGS: Key = key(
    "set",
    Kind::Settings,
    "Keys with the values that they take, by their paths: { \"medium.backbone.loss\" = \"5 %\" }.",
)
.optional();

/// What the table is for.
pub const HELP: &str = "What happens at a time: an outage, a change of a key, a flow that begins or ends.";
