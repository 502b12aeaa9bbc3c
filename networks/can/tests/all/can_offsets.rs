//! When the periodic messages of a node begin.

use sojourn_core::Duration;
use sojourn_model::testing::event;

use crate::support::{bus, record};

/// A frame with 8 bytes and its intermission; and up to its end.
const FRAME: u64 = 270;
const ALONE: u64 = 264;

/// Four messages of node `a` every 10 ms, of which the lowest is the probe.
fn four() -> String {
    let flow = |number: u32| {
        format!(
            "[[flow]]\nname = \"m{number}\"\nfrom = \"a\"\nto = \"sink\"\nid = {number}\nprobe = {}\n\
             arrivals = {{ kind = \"periodic\", interval = \"10 ms\" }}\n",
            number == 4
        )
    };
    bus(&["a"], &(1..=4).map(flow).collect::<String>())
}

fn longest(text: &str, offsets: &str) -> Option<Duration> {
    record(text, &[("station.a.offsets", offsets)]).distribution("response_time").max()
}

#[test]
fn messages_that_begin_together_wait_for_each_other_and_spread_ones_do_not() {
    assert_eq!(longest(&four(), "none"), Some(Duration::from_micros(3 * FRAME + ALONE)));
    assert_eq!(longest(&four(), "spread"), Some(Duration::from_micros(ALONE)));
}

#[test]
fn a_node_that_gets_power_begins_with_its_offsets_anew() {
    let off = event("action = \"power-down\"\nstations = \"a\"\nat = \"3 s\"\nduration = \"1 s\"");
    let text = format!("{}{off}", four());
    assert_eq!(longest(&text, "none"), Some(Duration::from_micros(3 * FRAME + ALONE)));
    assert_eq!(longest(&text, "spread"), Some(Duration::from_micros(ALONE)));
}

#[test]
fn nodes_begin_at_instants_of_their_own() {
    let two = four().replace("from = \"a\"", "from = [\"a\", \"b\"]").replace(
        "[[flow]]\nname = \"m1\"",
        "[[station]]\nname = \"b\"\noffsets = \"none\"\ncosts = { send = \"0 s\" }\n[[flow]]\nname = \"m1\"",
    );
    let two = two.replace("[[flow]]", "[[flow]]\nid_step = 256");
    // were they to begin together, the lowest of `b` would wait for seven
    let found = longest(&two, "none").unwrap();
    assert!(found < Duration::from_micros(7 * FRAME + ALONE), "{found}");
    assert!(found >= Duration::from_micros(3 * FRAME + ALONE), "{found}");
}

#[test]
fn a_flow_that_says_when_it_begins_keeps_to_that() {
    let text = four().replace("interval = \"10 ms\"", "interval = \"10 ms\", start = \"at-once\", delay = \"1 ms\"");
    assert_eq!(longest(&text, "spread"), Some(Duration::from_micros(3 * FRAME + ALONE)));
}
