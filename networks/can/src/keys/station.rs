//! Keys of a node.

use super::{ASSUMED, STANDARD};
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::laws::time_or_law;
use sojourn_scenario::keys::{Key, Kind, key, time, word};

const MICROCONTROLLER: &str =
    "assumption: a microcontroller without an operating system takes 2 to 20 µs for each step";

const COSTS: &[Key] = &[
    key("send", time_or_law(SPAN), "From an application sending a message to its frame being in the transmit queue.")
        .default("\"5 µs\"", MICROCONTROLLER),
    key("receive", time_or_law(SPAN), "From the end of a frame to the application acting on it.")
        .default("\"10 µs\"", MICROCONTROLLER),
    key(
        "answer",
        time_or_law(SPAN),
        "From the application acting on a request (remote, request, sdo, uds) to its sending the answer; the processor does other things then.",
    )
    .default("\"0 s\"", ASSUMED),
    key(
        "forward",
        time_or_law(SPAN),
        "Gateway: from the end of a frame to its copy being in another bus's transmit queue.",
    )
    .default("\"15 µs\"", MICROCONTROLLER),
];

/// Keys of `[[station]]` beside name, count and buses.
pub const KEYS: &[Key] = &[
    key(
        "queue",
        Kind::Word(&[
            word("priority", "the frame of the highest priority of all that wait, as analysis assumes"),
            word("fifo", "the oldest frame: urgent ones wait behind it (Linux with one transmit buffer, hardware FIFOs)"),
            word("mailboxes", "of the frames in `mailboxes` mailboxes that of the highest priority; the rest waits, the oldest first"),
            word("latest", "as priority; a new value replaces one of its identifier that waits (AUTOSAR COM)"),
        ]),
        "Which frame a node offers to the bus.",
    )
    .default("\"priority\"", ASSUMED),
    key(
        "offsets",
        Kind::Word(&[
            word("random", "each message begins at a random instant of its period"),
            word("none", "all begin together, when the node begins: at a random instant of its longest period"),
            word("spread", "as none, with offsets that keep messages of the node apart (Grenier, Havet and Navet, ERTS 2008)"),
        ]),
        "When the periodic messages of a node begin, those without start = \"at-once\".",
    )
    .default("\"random\"", ASSUMED),
    key("mailboxes", Kind::Integer(1, 128), "Transmit mailboxes, with queue = \"mailboxes\".")
        .default("3", "STMicroelectronics bxCAN and Microchip MCP2515: 3"),
    key(
        "abort",
        Kind::Flag,
        "With queue = \"mailboxes\": whether a frame of higher priority takes the mailbox of one that is not being sent.",
    )
    .default("false", ASSUMED),
    key("queue_length", Kind::Integer(1, 100_000), "Most frames that wait at each bus; further ones are lost.")
        .default("1000", ASSUMED),
    key("receive_fifo", Kind::Integer(1, 10_000), "Received frames that wait for the processor; further ones are lost.")
        .default("64", "Bosch M_CAN: receive FIFOs of up to 64 elements"),
    key(
        "restart",
        time(SPAN),
        "From bus-off to the restart of the controller, which then waits for 128 times 11 recessive bits.",
    )
    .default("\"0 s\"", STANDARD),
    key("retransmit", Kind::Flag, "Whether a frame is sent again after an error (else one-shot).")
        .default("true", STANDARD),
    key("acknowledge", Kind::Flag, "Whether it acknowledges frames (else bus monitoring: it listens only).")
        .default("true", STANDARD),
    key("costs", Kind::Table(COSTS), "CPU time of each step.").default("{}", MICROCONTROLLER),
];
