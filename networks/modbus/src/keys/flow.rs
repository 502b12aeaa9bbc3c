//! Keys of a flow: what a client asks of servers, how often, and how long it waits.

use super::{APPLICATION, ASSUMED, SERIAL_LINE};
use sojourn_scenario::keys::common::{DELAY, MESSAGE_ARRIVALS, NAME, PROBE, SOME_TIME, SPAN, START};
use sojourn_scenario::keys::{Key, Kind, Target, Variant, key, time, word};

/// Polls go round; every other kind of arrivals is a round of its own.
const ARRIVALS: &[Variant] = &[
    MESSAGE_ARRIVALS[0],
    MESSAGE_ARRIVALS[1],
    MESSAGE_ARRIVALS[2],
    MESSAGE_ARRIVALS[3],
    MESSAGE_ARRIVALS[4],
    MESSAGE_ARRIVALS[5],
    MESSAGE_ARRIVALS[6],
    MESSAGE_ARRIVALS[7],
    MESSAGE_ARRIVALS[8],
    MESSAGE_ARRIVALS[9],
    Variant {
        word: "poll",
        help: "asks one server after the other, round and round",
        keys: &[&[
            key(
                "cycle",
                time(SOME_TIME),
                "Time between the begins of two rounds; a round that takes longer is followed by the next at once, as is every one without this.",
            )
            .optional(),
            key("interval", time(SPAN), "Shortest time between the begins of two requests of a round.")
                .default("\"0 s\"", ASSUMED),
            START,
            DELAY,
        ]],
    },
];

/// Keys of `[[flow]]`.
pub const KEYS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The client, or several that ask on their own."),
    key("to", Kind::Names(Target::Station, &[]), "The servers, in the order in which they are asked."),
    key("arrivals", Kind::Variants(ARRIVALS), "When the servers are asked: each arrival is a round over all of them.")
        .default("{ kind = \"poll\" }", ASSUMED),
    PROBE,
    key(
        "function",
        Kind::Word(&[
            word("read-coils", "function 1, up to 2000 bits"),
            word("read-discrete-inputs", "function 2, up to 2000 bits"),
            word("read-holding-registers", "function 3, up to 125 registers"),
            word("read-input-registers", "function 4, up to 125 registers"),
            word("write-coil", "function 5, one bit"),
            word("write-register", "function 6, one register"),
            word("write-coils", "function 15, up to 1968 bits"),
            word("write-registers", "function 16, up to 123 registers"),
            word("mask-write", "function 22, single bits of one register"),
            word("read-write", "function 23, reads up to 125 registers and writes as many, up to 121"),
        ]),
        "What is asked.",
    )
    .default("\"read-holding-registers\"", APPLICATION),
    key("count", Kind::Integer(1, 2000), "Registers or bits of a block.").label("Registers").default("1", ASSUMED),
    key("blocks", Kind::Integer(1, 1000), "Blocks of each server, a request each unless they are merged.")
        .default("1", ASSUMED),
    key("gap", Kind::Integer(0, 2000), "Registers or bits between two blocks that are not wanted.")
        .default("0", ASSUMED),
    key(
        "merge",
        Kind::Flag,
        "Whether a request reads as many blocks as its function allows, with the gaps between them.",
    )
    .default("false", ASSUMED),
    key(
        "broadcast",
        Kind::Flag,
        "Whether one request to unit 0 is for all servers of the serial line, none of which answers.",
    )
    .default("false", SERIAL_LINE),
    key("timeout", time(SOME_TIME), "Response timeout, from the end of the request to the end of the response.")
        .default("\"1 s\"", SERIAL_LINE),
    key("retries", Kind::Integer(0, 20), "Tries after the first, for want of a valid response.").default("3", ASSUMED),
    key("turnaround", time(SOME_TIME), "Turnaround delay: from the end of a broadcast to the next request.")
        .default("\"100 ms\"", SERIAL_LINE),
    key("between", time(SPAN), "Pause of the client between the end of a transaction and the next request.")
        .default("\"0 s\"", ASSUMED),
];
