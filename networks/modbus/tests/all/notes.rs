//! What is noted of a scenario before a run.

use super::support::*;

/// Warnings, and what is noted of loads and timers.
fn notes(text: &str, edits: &[(&str, &str)]) -> Vec<String> {
    let scenario = scenario(text, edits).unwrap_or_else(|problems| panic!("{problems}"));
    let network = sojourn_modbus::NETWORKS.find("modbus").unwrap();
    let meaning = network.meaning(&scenario);
    network.notes(&scenario, &meaning, 5).iter().map(sojourn_model::Warning::in_words).collect()
}

fn has(notes: &[String], words: &str) -> bool {
    notes.iter().any(|note| note.contains(words))
}

#[test]
fn a_sound_line_has_no_notes() {
    assert_eq!(notes(&line(10), &[]), [""; 0]);
    assert_eq!(notes(&sojourn_modbus::NETWORKS.template("modbus"), &[]), [""; 0]);
    assert_eq!(notes(include_str!("gateway.toml"), &[]), [""; 0]);
}

#[test]
fn a_timeout_that_no_response_keeps_is_noted() {
    let found = notes(&line(2), &[("flow.readings.timeout", "20 ms")]);
    // 4.0 ms of silence, 5 ms, 28.6 ms and 4.0 ms of silence
    assert!(has(&found, "waits 20 ms for a response, and one of meter-1 takes 41.7 ms on average"), "{found:?}");
}

#[test]
fn a_cycle_that_is_shorter_than_its_round_is_noted() {
    let found = notes(&line(20), &[("flow.readings.arrivals.cycle", "1 s")]);
    assert!(
        has(&found, "a round of flow `readings` takes 1.02 s on average, and a cycle of 1 s is asked for"),
        "{found:?}"
    );
    assert!(!has(&notes(&line(19), &[("flow.readings.arrivals.cycle", "1 s")]), "takes"));
}

#[test]
fn what_a_dead_server_costs_is_noted_where_it_is_much() {
    let found = notes(&line(2), &[("flow.readings.retries", "3")]);
    assert!(has(&found, "that does not answer costs 4 s in each round of 102 ms"), "{found:?}");
}

#[test]
fn more_devices_than_a_line_takes_are_noted() {
    assert!(has(&notes(&line(32), &[]), "33 devices are on `line`"));
    assert!(!has(&notes(&line(31), &[]), "devices"));
}

#[test]
fn writes_that_a_line_cannot_carry_are_noted() {
    let arrivals = [("flow.readings.arrivals", "{ kind = \"periodic\", interval = \"50 ms\" }")];
    // a round of one takes 50.8 ms
    assert!(has(&notes(&line(1), &arrivals), "medium `line`"), "{:?}", notes(&line(1), &arrivals));
}
