//! Keys of `[[event]]`: what happens at a time during a run; and the actions that each network knows.

use super::common::{NAME, SOME_TIME, SPAN};
use super::{Key, Kind, Shape, TableKeys, Target, Word, key, time, word};

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

const fn action(word: Word, on: Affects, ended_by: Option<&'static str>) -> Action {
    Action { word, on, ended_by, sized: false, spread: false }
}

const START: Action = action(word("start", "the flow sends"), Affects::Flows, Some("stop"));
const STOP: Action = action(word("stop", "the flow sends nothing more"), Affects::Flows, Some("start"));
const SET: Action =
    action(word("set", "keys take other values, until the end if there is one"), Affects::Settings, Some("set"));

/// Actions of queueing networks.
pub static OF_QUEUE: &[Action] = &QUEUE;
const QUEUE: [Action; 6] = [
    action(
        word("down", "no server works; a service that it interrupts goes on afterwards (preemptive-resume)"),
        Affects::Stations,
        Some("up"),
    ),
    action(word("up", "the servers work again"), Affects::Stations, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(word("burst", "`size` customers arrive at once, beside those of the flow"), Affects::Flows, None)
    },
    SET,
];

/// Actions of IP networks and of switched LANs.
pub static OF_IP: &[Action] = &IP;
const IP: [Action; 7] = [
    action(
        word("down", "the links carry nothing: packets queued before them, being sent and to be sent are lost"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the links carry packets again"), Affects::Media, None),
    action(
        word(
            "power-down",
            "routers or switches are off: none of their links carries anything, and what they hold is lost",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(word("power-up", "they have power again"), Affects::Stations, None),
    START,
    STOP,
    SET,
];

/// An action that gives stations power, at its begin or its end.
const fn power(word: Word, ended_by: Option<&'static str>) -> Action {
    Action { spread: true, ..action(word, Affects::Stations, ended_by) }
}

/// Actions of LonTalk networks.
pub static OF_LONTALK: &[Action] = &LONTALK;
const LONTALK: [Action; 9] = [
    power(
        word(
            "power-down",
            "nodes and routers are off; transactions, receive records, messages and packets in their buffers are lost",
        ),
        Some("power-up"),
    ),
    power(
        word(
            "power-up",
            "they reset and begin anew; a station is off from the start of the run if this is its first event",
        ),
        None,
    ),
    power(word("restart", "off and on at once, as after a watchdog reset"), None),
    action(word("down", "every packet on the channel is damaged: no station receives one"), Affects::Media, Some("up")),
    action(word("up", "the channel carries packets again"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender sends `size` messages at once, beside those of the flow"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// Actions of FDDI.
pub static OF_FDDI: &[Action] = &FDDI;
const FDDI: [Action; 9] = [
    action(
        word(
            "power-down",
            "stations are off and bypassed: XTP associations, buffers and queues are lost; the ring is interrupted for `bypass_time`",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(
        word(
            "power-up",
            "they enter the ring, which is interrupted again, and begin anew; a station is off from the start of the run if this is its first event",
        ),
        Affects::Stations,
        None,
    ),
    action(
        word("restart", "off and on at once, as after a watchdog reset; the ring is interrupted once"),
        Affects::Stations,
        None,
    ),
    action(
        word("down", "the ring is interrupted before its first station: what is on it is lost, and no token passes"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the ring carries light again, and recovers by claim frames"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender of messages sends `size` of them at once, beside those of the flow"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// Actions of packet radio.
pub static OF_PACKET_RADIO: &[Action] = &PACKET_RADIO;
const PACKET_RADIO: [Action; 9] = [
    power(
        word(
            "power-down",
            "stations are off: AX.25 links, NET/ROM routes and circuits, ROSE calls and queued frames are lost",
        ),
        Some("power-up"),
    ),
    power(
        word("power-up", "they begin anew; a station is off from the start of the run if this is its first event"),
        None,
    ),
    power(word("restart", "off and on at once, as after a watchdog reset"), None),
    action(
        word("down", "no station receives a frame on the medium; carriers are detected all the same"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "frames are received again"), Affects::Media, None),
    START,
    STOP,
    Action {
        sized: true,
        ..action(
            word("burst", "each sender sends `size` messages, or wants `size` sessions, at once"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

/// Actions of an FDDI adapter.
pub static OF_FDDI_ADAPTER: &[Action] = &FDDI_ADAPTER;
const FDDI_ADAPTER: [Action; 9] = [
    action(
        word(
            "power-down",
            "the adapter is off: what it holds and what the driver has for it is lost, and frames on the ring pass it by",
        ),
        Affects::Stations,
        Some("power-up"),
    ),
    action(
        word(
            "power-up",
            "it begins anew, and the driver posts all buffers; it is off from the start of the run if this is its first event",
        ),
        Affects::Stations,
        None,
    ),
    action(word("restart", "off and on at once, as after a watchdog reset"), Affects::Stations, None),
    action(
        word("down", "the ring is interrupted: frames on it are lost, and none comes or leaves"),
        Affects::Media,
        Some("up"),
    ),
    action(word("up", "the ring carries frames again; a token ring recovers by claim frames"), Affects::Media, None),
    action(word("start", "frames of the direction come"), Affects::Flows, Some("stop")),
    action(word("stop", "no more frames of the direction come"), Affects::Flows, Some("start")),
    Action {
        sized: true,
        ..action(
            word("burst", "`size` frames of the direction come at once, beside those of the load"),
            Affects::Flows,
            None,
        )
    },
    SET,
];

const fn words<const N: usize>(actions: &[Action; N]) -> [Word; N] {
    let mut words = [actions[0].word; N];
    let mut at = 0;
    while at < N {
        words[at] = actions[at].word;
        at += 1;
    }
    words
}

const SCHEDULE: &[Key] = &[
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

const STATIONS: Key = key("stations", Kind::Names(Target::Station, &[]), "The stations it affects.").optional();
const MEDIA: Key =
    key("media", Kind::Names(Target::Medium, &[]), "The media it affects, with all their links.").optional();
const FLOWS: Key = key("flows", Kind::Names(Target::Flow, &[]), "The flows it affects, by name.").optional();
const SIZE: Key =
    key("size", Kind::Integer(1, 1_000_000), "Of a burst: messages of each flow at once.").default("1", DESIGN);
const SPREAD: Key = key(
    "spread",
    time(SPAN),
    "With power-up and restart, and at the end of power-down: applications of each station begin at a random time, uniform \
     between 0 and this after the station is on. LonMark's configuration property of a power-up delay is SCPTpwrUpDelay.",
)
.default("\"0 s\"", DESIGN);
const SETTINGS: Key = key(
    "set",
    Kind::Settings,
    "Keys with the values that they take, by their paths: { \"medium.backbone.loss\" = \"5 %\" }.",
)
.optional();

const HELP: &str = "What happens at a time: an outage, a change of a key, a flow that begins or ends.";

/// `[[event]]` of queueing networks.
pub const QUEUE_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[SCHEDULE, &[key("action", Kind::Word(&words(&QUEUE)), "What happens."), STATIONS, FLOWS, SIZE, SETTINGS]],
    help: HELP,
};

/// `[[event]]` of IP networks and of switched LANs.
pub const IP_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[SCHEDULE, &[key("action", Kind::Word(&words(&IP)), "What happens."), STATIONS, MEDIA, FLOWS, SETTINGS]],
    help: HELP,
};

/// `[[event]]` of LonTalk networks.
pub const LONTALK_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&LONTALK)), "What happens."), STATIONS, SPREAD, MEDIA, FLOWS, SIZE, SETTINGS],
    ],
    help: HELP,
};

/// `[[event]]` of FDDI.
pub const FDDI_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[key("action", Kind::Word(&words(&FDDI)), "What happens."), STATIONS, MEDIA, FLOWS, SIZE, SETTINGS],
    ],
    help: HELP,
};

/// `[[event]]` of packet radio.
pub const PACKET_RADIO_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[
            key("action", Kind::Word(&words(&PACKET_RADIO)), "What happens."),
            STATIONS,
            SPREAD,
            MEDIA,
            FLOWS,
            SIZE,
            SETTINGS,
        ],
    ],
    help: HELP,
};

/// `[[event]]` of an FDDI adapter.
pub const FDDI_ADAPTER_EVENTS: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::Many,
    keys: &[
        SCHEDULE,
        &[
            key("action", Kind::Word(&words(&FDDI_ADAPTER)), "What happens."),
            key("stations", Kind::Names(Target::Station, &[word("adapter", "the adapter")]), "The station it affects.")
                .optional(),
            key("media", Kind::Names(Target::Medium, &[word("ring", "the network side")]), "The medium it affects.")
                .optional(),
            key(
                "flows",
                Kind::Names(
                    Target::Flow,
                    &[
                        word("receive", "frames from the ring to the host"),
                        word("transmit", "frames from the host to the ring"),
                    ],
                ),
                "The directions it affects.",
            )
            .optional(),
            SIZE,
            SETTINGS,
        ],
    ],
    help: HELP,
};

/// The actions that a network knows.
pub fn actions(kind: &str) -> &'static [Action] {
    match kind {
        "queue" => OF_QUEUE,
        "ip" | "switched-lan" => OF_IP,
        "lontalk" => OF_LONTALK,
        "fddi" => OF_FDDI,
        "fddi-adapter" => OF_FDDI_ADAPTER,
        "packet-radio" => OF_PACKET_RADIO,
        _ => &[],
    }
}
