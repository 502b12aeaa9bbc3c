//! The bytes that replications give: digests of complete records, with and without traces, and of tallies of rare events.
//!
//! A change that is meant to move them replaces `digests/expected.txt` by what the failed test prints.

use std::fmt::Write;

use sojourn_core::Duration;
use sojourn_engine::splitting::Level;

use sojourn_model::rare::{RareEvent, Watched};
use sojourn_model::{Model, Network, Replication};

mod scenarios;

const WARM_UP: Duration = Duration::from_secs(1);
const OBSERVED: Duration = Duration::from_secs(20);

fn model(text: &str) -> Box<dyn Model> {
    let scenario = crate::NETWORKS.checked(text, &[]);
    crate::QueueNetwork.model(&scenario).unwrap_or_else(|problems| panic!("{problems}"))
}

fn replication(index: u32, traces: bool) -> Replication<'static> {
    Replication { index, warm_up: WARM_UP, traces, ..Replication::alone(OBSERVED) }
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo).
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Of the records of two replications.
fn of_records(model: &dyn Model, traces: bool) -> u64 {
    // what a replication cost is left out of what it observed
    let record = |index| {
        let text = serde_json::to_string(&model.replicate(replication(index, traces))).unwrap();
        text.rfind(",\"events\":").map(|end| text[..end].to_owned() + "}").expect("the cost comes last")
    };
    digest([record(0), record(1)].concat().as_bytes())
}

/// Of the tally of a replication that is split at these levels of a gauge.
fn of_tally(model: &dyn Model, gauge: u32, importance: u32, above: u64, levels: u64) -> u64 {
    let event = RareEvent {
        condition: Watched::of_all(gauge),
        above,
        importance: Watched { gauge: 0, member: importance },
        levels: (1..=levels).map(|from| Level::new(2 * from, 2)).collect(),
        ends_at_first: false,
        keeps_course: true,
    };
    let tally = model.rare().expect("queues have rare events").split(replication(0, false), &event);
    digest(format!("{tally:?}").as_bytes())
}

#[test]
fn records_and_tallies_have_the_bytes_that_they_had() {
    let mut found = String::new();
    for (name, text) in scenarios::plain().into_iter().chain(scenarios::with_events()) {
        let model = model(&text);
        let [plain, traced] = [false, true].map(|traces| of_records(&*model, traces));
        writeln!(found, "{name}: {plain:016x} {traced:016x}").unwrap();
    }
    for (name, text, [gauge, importance], above, levels) in scenarios::split() {
        writeln!(found, "split {name}: {:016x}", of_tally(&*model(&text), gauge, importance, above, levels)).unwrap();
    }
    let expected = include_str!("digests/expected.txt");
    for (found, expected) in found.lines().zip(expected.lines()).filter(|(found, expected)| found != expected) {
        println!("{found} was {expected}");
    }
    assert!(found == expected, "found\n{found}");
}
