//! Which order of identifiers meets all deadlines.

use sojourn_can::{CanNetwork, NETWORKS};
use sojourn_metrics::results::{Bounds, PriorityRow};
use sojourn_model::Network;

use crate::support::{bus, periodic};

fn bounds(text: &str, edits: &[(&str, &str)]) -> Bounds {
    (&CanNetwork as &dyn Network).worst_cases(&NETWORKS.checked(text, edits)).unwrap()
}

fn lines(bounds: &Bounds) -> String {
    bounds.assumptions.join("\n")
}

fn order(bounds: &Bounds) -> Vec<&str> {
    bounds.priorities.iter().map(|row| &*row.flow).collect()
}

/// Three frames of 270 µs at 500 kbit/s, of which the lowest has the shortest deadline.
fn inverted(deadline: &str) -> String {
    let flows = periodic("slow", "a", 0x100, "10 ms", "0 s", "")
        + &periodic("slower", "b", 0x200, "20 ms", "0 s", "")
        + &periodic("urgent", "c", 0x300, "10 ms", "0 s", &format!("deadline = \"{deadline}\""));
    bus(&["a", "b", "c"], &flows)
}

#[test]
fn an_order_that_meets_every_deadline_is_named_where_that_of_the_scenario_does_not() {
    // as the lowest `urgent` takes 3 x 270 µs, as the highest 2 x 270 µs
    let bounds = bounds(&inverted("700 us"), &[]);
    let first = &bounds.priorities[0];
    assert!(lines(&bounds).contains("not every message meets its deadline"), "{}", lines(&bounds));
    assert_eq!(
        first,
        &PriorityRow {
            medium: "bus".to_owned(),
            flow: "urgent".to_owned(),
            station: "c".to_owned(),
            identifier: "300h".to_owned(),
            assigned: Some("100h".to_owned()),
            deadline: 700e-6,
            delay: 540e-6,
        }
    );
    let assigned: Vec<_> = bounds.priorities.iter().map(|row| row.assigned.as_deref().unwrap()).collect();
    assert_eq!(assigned, ["100h", "200h", "300h"]);
    // 160 µs are 80 bits
    let line = "another order of identifiers meets every deadline: deadlines are met even if a bus is blocked for another 160 µs";
    assert!(lines(&bounds).contains(line), "{}", lines(&bounds));
}

#[test]
fn no_order_is_named_where_none_meets_every_deadline() {
    let bounds = bounds(&inverted("500 us"), &[("flow.slow.deadline", "500 us"), ("flow.slower.deadline", "500 us")]);
    assert!(bounds.priorities.is_empty());
    let line = "no order of identifiers meets every deadline: of slow, slower, urgent each misses it below the others";
    assert!(lines(&bounds).contains(line), "{}", lines(&bounds));
}

#[test]
fn a_set_that_meets_its_deadlines_says_what_it_tolerates_and_what_another_order_would() {
    // as the lowest it takes 810 µs, as the highest 540 µs of 1 ms
    let found = bounds(&inverted("1 ms"), &[]);
    let line = "blocked for another 190 µs in a busy period; another order of identifiers tolerates 460 µs";
    assert!(lines(&found).contains(line), "{}", lines(&found));
    assert_eq!(order(&found)[0], "urgent");
    let best = bounds(&inverted("1 ms"), &[("flow.urgent.id", "0x80")]);
    assert!(lines(&best).contains("460 µs in a busy period, and no other order of identifiers tolerates more"));
    assert!(best.priorities.is_empty());
}

#[test]
fn processors_take_their_part_of_a_deadline() {
    let costs = [("station.c.costs.send", "20 us"), ("station.sink.costs.receive", "50 us")];
    let found = bounds(&inverted("700 us"), &costs);
    // the receiver's processor takes up to 150 µs for three frames at once: 20 + 540 + 150 are more than 700 µs
    assert!(found.priorities.is_empty(), "{}", lines(&found));
    assert!(lines(&found).contains("no order of identifiers"), "{}", lines(&found));
    let longer = bounds(&inverted("720 us"), &costs);
    assert_eq!((order(&longer)[0], longer.priorities[0].delay), ("urgent", 710e-6));
}

#[test]
fn queues_and_paths_for_which_the_assignment_does_not_hold_are_named() {
    let fifo = periodic("one", "a", 0x100, "10 ms", "0 s", "") + &periodic("two", "a", 0x200, "20 ms", "0 s", "");
    let text = bus(&["a"], &fifo);
    assert!(
        lines(&bounds(&text, &[("station.a.queue", "fifo")]))
            .contains("no other order of identifiers is looked for: frames of a do not wait by their priorities")
    );
    let random = bounds(&text, &[("flow.two.arrivals", "{ kind = \"poisson\", interval = \"5 ms\" }")]);
    assert!(lines(&random).contains("no other order of identifiers is looked for: two has no shortest interval"));
    let noisy = bounds(&text, &[("bus.bit_error_rate", "1e-6")]);
    assert!(lines(&noisy).contains("no other order of identifiers is looked for: bit errors of bus are random"));
}

#[test]
fn identifiers_of_both_formats_have_an_order_and_keep_their_formats() {
    let found = bounds(&inverted("1 ms"), &[("flow.slow.extended", "true")]);
    assert!(found.priorities.iter().all(|row| row.assigned.is_none()));
    assert_eq!(order(&found)[0], "urgent");
}
