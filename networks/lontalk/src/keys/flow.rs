//! Keys of a flow (a network variable connection or explicit messaging), and of the shorthands that make one.

use super::{ASSUMED, BULLETIN, STANDARD};
use sojourn_scenario::keys::common::{ARRIVALS, PROBE, SOME_RATE};
use sojourn_scenario::keys::{Codes, Key, Kind, between, key, word};
use sojourn_scenario::quantity::Dimension;

/// Codes of a transaction or repeat timer (ISO/IEC 14908-1, 8).
pub const TRANSACTION_CODES: Codes = Codes {
    noun: "a transaction or repeat timer",
    milliseconds: &[16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072],
};

/// Codes of a receive timer (ISO/IEC 14908-1, 8).
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
            word("unacknowledged-repeated", "sent 1 + `repeats` times"),
            word("acknowledged", "retried until every receiver has acknowledged"),
            word("request", "retried until every receiver has responded"),
            word("authenticated", "acknowledged, after every receiver has challenged the sender"),
        ]),
        "Message service.",
    )
    .default("\"acknowledged\"", STANDARD),
    key(
        "authenticated",
        Kind::Flag,
        "Whether receivers challenge the sender; implied by service = \"authenticated\".",
    )
    .default("false", STANDARD),
    key("priority", Kind::Flag, "Whether its messages and their acknowledgements and responses have priority.")
        .default("false", STANDARD),
    key(
        "addressing",
        Kind::Word(&[
            word("automatic", "subnet/node for one receiver, group for several, domain broadcast for everyone"),
            word("unicast", "subnet/node; a separate message for each receiver"),
            word("group", "one message for all receivers"),
            word("broadcast", "domain-wide broadcast"),
            word("unique-id", "the node's 48-bit Neuron ID"),
        ]),
        "Address format of the binding.",
    )
    .default("\"automatic\"", ASSUMED),
    key(
        "message",
        Kind::Word(&[
            word("network-variable", "a network variable update"),
            word("explicit", "an explicit message whose data the application copies"),
            word("explicit-without-copy", "an explicit message that needs no copy, as from an attached host"),
        ]),
        "Message type.",
    )
    .default("\"network-variable\"", BULLETIN),
    key(
        "data",
        Kind::Quantity(Dimension::Size, between("0 B", "228 B")),
        "Data of a message: network variables up to 31 bytes, explicit messages up to 228.",
    )
    .label("Message data")
    .default("\"1 B\"", BULLETIN),
    key(
        "response_data",
        Kind::Quantity(Dimension::Size, between("0 B", "228 B")),
        "Data of a response to a request.",
    )
    .default("\"1 B\"", ASSUMED),
    key("retries", Kind::Integer(0, 15), "Retry count of acknowledged and request messages.").default("3", ASSUMED),
    key("transaction_timer", Kind::Code(&TRANSACTION_CODES), "Transaction timer: interval between retries.")
        .default("\"128 ms\"", BULLETIN),
    key("repeats", Kind::Integer(0, 15), "Repeat count of unacknowledged-repeated messages.").default("3", ASSUMED),
    key("repeat_timer", Kind::Code(&TRANSACTION_CODES), "Repeat timer: interval between repeats.")
        .default("\"128 ms\"", ASSUMED),
    key(
        "receive_timer",
        Kind::Code(&RECEIVE_CODES),
        "Receive timer of this flow's transactions (duplicate detection); by default the receiving station's receive_timer.",
    )
    .optional(),
    key("broadcast_backlog", Kind::Integer(0, 63), "Delta backlog that a broadcast announces; 0 means 15.")
        .default("0", STANDARD),
];

const GENERATOR: Key = key(
    "generator",
    Kind::Word(&[
        word("closed", "the new message is not sent and counts as missed"),
        word("queued", "one message is queued; a later one replaces it"),
        word(
            "buffered",
            "messages are queued while the station has output buffers for them; further ones are not sent and count as missed",
        ),
        word("open", "all messages are queued"),
    ]),
    "What happens to a message while the transaction of the last one is open.",
);

/// Default of a device: a network variable holds its latest value.
pub const DEVICE: &[Key] = &[GENERATOR.default("\"queued\"", ASSUMED)];

/// Default of the published experiments' test and load stations.
const TESTER: Key = GENERATOR.default("\"closed\"", ASSUMED);

/// Keys of `[probe]` beside those of a flow.
pub const PROBE_KEYS: &[Key] = &[
    TESTER,
    key("arrivals", Kind::Variants(ARRIVALS), "When messages are sent.")
        .default("{ kind = \"periodic\", interval = \"3 s\" }", BULLETIN),
];

/// Keys of `[background]` beside those of a flow.
pub const BACKGROUND_KEYS: &[Key] = &[
    key("stations", Kind::Integer(2, 32_384), "Number of load stations; even, since they send in pairs.")
        .default("32", BULLETIN),
    key(
        "rate",
        Kind::Quantity(Dimension::Rate, SOME_RATE),
        "Offered load of all of them together, retries not counted.",
    )
    .label("Offered load")
    .counted("packets/s"),
    key(
        "counts",
        Kind::Word(&[
            word("packets", "messages with their acknowledgements, challenges and repeats"),
            word("messages", "messages only"),
        ]),
        "What `rate` counts.",
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
