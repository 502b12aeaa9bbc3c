//! Keys of a flow, and of the shorthands that make one.

use super::super::common::{ARRIVALS, PROBE, SOME_RATE};
use super::super::{Codes, Key, Kind, between, key, word};
use super::{ASSUMED, BULLETIN, STANDARD};
use crate::quantity::Dimension;

/// What a transaction or repeat timer can be.
pub const TRANSACTION_CODES: Codes = Codes {
    noun: "a transaction or repeat timer",
    milliseconds: &[16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072],
};

/// What a receive timer can be.
pub const RECEIVE_CODES: Codes = Codes {
    noun: "a receive timer",
    milliseconds: &[128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576],
};

/// Keys of `[[flow]]` beside its name, ends and arrivals.
pub const KEYS: &[Key] = &[
    key(
        "service",
        Kind::Word(&[
            word("unacknowledged", "sent once"),
            word("unacknowledged-repeated", "sent several times"),
            word("acknowledged", "sent until every receiver has acknowledged"),
            word("request", "sent until every receiver has responded"),
            word("authenticated", "acknowledged, and every receiver challenges the sender first"),
        ]),
        "The service its messages use.",
    )
    .default("\"acknowledged\"", STANDARD),
    key(
        "authenticated",
        Kind::Flag,
        "Whether receivers challenge the sender; service = \"authenticated\" says the same.",
    )
    .default("false", STANDARD),
    key("priority", Kind::Flag, "Whether its messages and their answers are priority messages.")
        .default("false", STANDARD),
    key(
        "addressing",
        Kind::Word(&[
            word("automatic", "unicast to one receiver, group to several, broadcast to everyone"),
            word("unicast", "subnet and node; a message of its own for each receiver"),
            word("group", "one message for all receivers"),
            word("broadcast", "one message for every station"),
            word("unique-id", "the node's 48-bit identifier"),
        ]),
        "How receivers are addressed.",
    )
    .default("\"automatic\"", ASSUMED),
    key(
        "message",
        Kind::Word(&[
            word("network-variable", "an update of a network variable"),
            word("explicit", "a message whose data the application copies"),
            word("explicit-without-copy", "a message whose data need no copy, as from an attached host"),
        ]),
        "What its messages are to the applications.",
    )
    .default("\"network-variable\"", BULLETIN),
    key(
        "data",
        Kind::Quantity(Dimension::Size, between("0 B", "228 B")),
        "Bytes of data in a message: network variables up to 31, explicit messages up to 228.",
    )
    .label("Message data")
    .default("\"1 B\"", BULLETIN),
    key(
        "response_data",
        Kind::Quantity(Dimension::Size, between("0 B", "228 B")),
        "Bytes of data in a response to a request.",
    )
    .default("\"1 B\"", ASSUMED),
    key("retries", Kind::Integer(0, 15), "Further tries of a message that is not answered.").default("3", ASSUMED),
    key("transaction_timer", Kind::Code(&TRANSACTION_CODES), "How long an answer may take before the next try.")
        .default("\"128 ms\"", BULLETIN),
    key("repeats", Kind::Integer(0, 15), "Further copies of an unacknowledged-repeated message.").default("3", ASSUMED),
    key("repeat_timer", Kind::Code(&TRANSACTION_CODES), "Time from one copy to the next.")
        .default("\"128 ms\"", ASSUMED),
    key(
        "receive_timer",
        Kind::Code(&RECEIVE_CODES),
        "How long receivers remember a transaction of this flow; without it, the receiving station's receive_timer.",
    )
    .optional(),
    key("broadcast_backlog", Kind::Integer(0, 63), "Answers a broadcast announces to the channel; 0 means 15.")
        .default("0", STANDARD),
];

const GENERATOR: Key = key(
    "generator",
    Kind::Word(&[
        word("closed", "nothing is sent, and the message is missed"),
        word("queued", "one message waits, a later one replaces it"),
        word("open", "every message waits its turn"),
    ]),
    "What happens to a message whose predecessor is still unanswered.",
);

/// What a device does: a network variable holds its latest value.
pub const DEVICE: &[Key] = &[GENERATOR.default("\"queued\"", ASSUMED)];

/// What the published experiments' test and load stations do.
const TESTER: Key = GENERATOR.default("\"closed\"", ASSUMED);

/// Keys of `[probe]` beside those of a flow.
pub const PROBE_KEYS: &[Key] = &[
    TESTER,
    key("arrivals", Kind::Variants(ARRIVALS), "When messages are sent.")
        .default("{ kind = \"periodic\", interval = \"3 s\" }", BULLETIN),
];

/// Keys of `[background]` beside those of a flow.
pub const BACKGROUND_KEYS: &[Key] = &[
    key(
        "stations",
        Kind::Integer(2, 32_384),
        "How many stations load the channel; an even number, they talk in pairs.",
    )
    .default("32", BULLETIN),
    key(
        "rate",
        Kind::Quantity(Dimension::Rate, SOME_RATE),
        "What all of them together cause on the channel, retries never counted.",
    )
    .label("Offered load")
    .counted("packets/s"),
    key(
        "counts",
        Kind::Word(&[
            word("packets", "messages with their acknowledgements, challenges and repeats"),
            word("messages", "messages only"),
        ]),
        "What the rate counts.",
    )
    .default("\"packets\"", ASSUMED),
    key("arrivals", Kind::Variants(ARRIVALS), "When messages are sent; their rate follows from `rate`.")
        .default("{ kind = \"periodic\" }", ASSUMED),
    TESTER,
    PROBE,
];

/// Packets one message between two stations causes without loss, where `rate` counts packets; else one.
pub fn packets_per_message(value: &dyn Fn(&str) -> Option<String>) -> u64 {
    if value("counts").as_deref() == Some("messages") {
        return 1;
    }
    let challenge = if value("authenticated").as_deref() == Some("true") { 2 } else { 0 };
    match value("service").as_deref() {
        Some("unacknowledged") => 1,
        Some("unacknowledged-repeated") => {
            value("repeats").and_then(|n| n.parse::<u64>().ok()).map_or(4, |n| n.min(15) + 1)
        }
        Some("authenticated") => 4,
        _ => 2 + challenge,
    }
}
