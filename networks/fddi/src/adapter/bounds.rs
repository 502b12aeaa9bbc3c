//! Worst case of XMI arbitration: how long a transaction at the head of its line waits for the bus.
//!
//! Lines are served round robin, so each other line is granted at most once. Read data from memory go before
//! commands, and memory with a full read queue suppresses commands until its next response.

use crate::adapter::bus::{ANSWER_CYCLES, CYCLE};
use sojourn_core::Duration;
use sojourn_scenario::Scenario;

use sojourn_bounds::report::{END_TO_END, Report, Theorem, Worst};

const TURNS: Theorem = Theorem {
    name: "each other line once, each outstanding answer once, each suppression one memory access",
    source: "XMI arbitration: VAX 6000 Platform Technical User's Guide",
};
/// Request lines of the other nodes that interfere.
const NODES: u64 = 13;
/// Cycles of the adapter's longest command, a hexaword write.
const LONGEST_OWN: u64 = 5;

/// The bounds of a scenario of kind `fddi-adapter`.
pub fn bounds(scenario: &Scenario) -> Report {
    let mut report = Report::default();
    report.assume("a transaction is first in its line: it waits for the bus, not for others of the adapter");
    let cycles = longest_wait(scenario);
    let wait = Duration::from_picoseconds(CYCLE.picoseconds() * cycles);
    report.row("adapter", "XMI, a transaction first in its line", None, Ok((Worst::Delay(wait), TURNS)));
    let why = "frames wait for buffers, descriptors and the transactions of other frames: no theorem here bounds them together";
    report.row("frames", END_TO_END, Some("response_time"), Err(why.to_owned()));
    let why = "it pools transactions that others of the adapter precede as often as they are wanted";
    report.row("adapter", "XMI, every transaction", Some("bus_wait"), Err(why.to_owned()));
    report
}

/// Cycles from a request to its grant.
fn longest_wait(scenario: &Scenario) -> u64 {
    let bus = scenario.table("bus");
    let interferes = bus.number("interference") > 0.0;
    let nodes = bus.integer("commanders").max(if interferes { NODES } else { 0 });
    // the adapter's other channel has a line, too
    let others = nodes + 1;
    let of_interference = if interferes { bus.number("interference_length").ceil() as u64 } else { 0 };
    let of_commanders = match (bus.integer("commanders"), bus.word("commander_transaction")) {
        (0, _) | (_, "hexaword-read") => 1,
        (_, "longword-write" | "quadword-write") => 2,
        (_, "octaword-write") => 3,
        _ => 5,
    };
    let longest = of_interference.max(of_commanders).max(LONGEST_OWN);
    let answers = bus.integer("memory_queue") + others;
    let suppressed = (others + 1) * (bus.integer("memory_access") + 2);
    // what drives at the request, each other line, all answers, and the cycle of the arbitration itself
    longest.max(ANSWER_CYCLES) + others * longest + ANSWER_CYCLES * answers + suppressed + 1
}
