//! A twin reproduces its original: random IP networks are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.

use sojourn_core::Streams;

use super::networks::with_transfers;
use crate::simulated::{Captured, EXACT};
use crate::twin_of::{Closeness, MANY, assert_most_are_close};

/// Networks whose twins may miss the bounds; nine of ten shall meet them, so that 5 is the aim. About half of those that miss
/// differ by as much from themselves where another seed draws (queues of seconds, few responses in 20 s). Of the others two
/// have flow queuing beside long requests that is taken for FIFO, and two a limit of 30 packets that is not seen.
const MISSES: usize = 9;

/// What is wrong with the twin of a random network; `None` if its percentiles are within the bounds.
fn fault(number: u32) -> Option<String> {
    let text = with_transfers(&mut Streams::new(number.into(), 0).stream("network"));
    let original = Captured::of(&text, u64::from(number) + 1, EXACT);
    let expected = original.responses("");
    let scenario = original.twin().expect("a twin").scenario;
    let found = Captured::of(&scenario, 1, EXACT).responses("");
    Closeness::of(&expected, &found).fault(format!("network {number}"), &text, &scenario)
}

/// A queue of seconds, a short one, and one for each flow.
#[test]
fn the_twin_of_a_network_with_each_kind_of_queue_has_its_response_times() {
    let faults: Vec<String> = [28, 48, 20].into_iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[ignore = "simulates a hundred networks; `make nightly` runs it"]
fn four_of_five_twins_have_the_response_times_of_their_networks() {
    assert_most_are_close(fault, MANY, MISSES);
}
