//! What events do: power, lines, noise, lost frames.

use sojourn_model::testing::{event, requests, value};

use crate::arithmetic::trunk;
use crate::support::{metrics, record};

const FLOW: &str = "[[flow]]\nname = \"f\"\nfrom = \"node-1\"\nto = \"node-4\"\nretries = 0\napdu_timeout = \"500 ms\"\n\
                    arrivals = { kind = \"periodic\", interval = \"1 s\" }\nprobe = true\n";

fn with(keys: &str) -> String {
    format!("{}{}", trunk(6, 38_400, "3 ms", FLOW), event(keys))
}

const RUN: [(&str, &str); 2] = [("run.duration", "60 s"), ("run.warm_up", "10 s")];

#[test]
fn a_successor_that_dies_is_given_up_and_found_again_when_it_returns() {
    let text = with("at = \"20 s\"\nduration = \"20 s\"\nstations = \"node-3\"\naction = \"power-down\"");
    let observed = metrics(&text, &RUN);
    assert_eq!(value(&observed, "successors_lost", "value"), 1.0);
    assert_eq!(value(&observed, "token_retries", "value"), 1.0);
    assert_eq!(value(&observed, "loss", "value"), 0.0);
    // the one before it polls its address again: the token comes through all six
    let rotation = value(&observed, "token_rotation", "p50");
    assert!((rotation - 6.0 * (3e-3 + 80.0 / 38_400.0)).abs() < 1e-6, "{rotation}");
}

#[test]
fn requests_to_a_station_without_power_are_lost_until_it_returns() {
    let text = with("at = \"20 s\"\nduration = \"20 s\"\nstations = \"node-4\"\naction = \"power-down\"");
    let seen = record(&text, &RUN);
    let [sent, answered] = requests(&seen, 22.0, 38.0);
    assert!(sent >= 15 && answered == 0, "{answered} of {sent}");
    let [sent, answered] = requests(&seen, 50.0, 69.0);
    assert!(sent >= 18 && answered + 1 >= sent, "{answered} of {sent}");
}

#[test]
fn a_client_that_loses_power_loses_its_requests() {
    let text = with("at = \"20 s\"\nduration = \"20 s\"\nstations = \"node-1\"\naction = \"power-down\"");
    let [sent, _] = requests(&record(&text, &RUN), 22.0, 38.0);
    assert_eq!(sent, 0);
}

#[test]
fn a_line_that_is_interrupted_loses_its_token_and_gets_one_again() {
    let text = with("at = \"20 s\"\nduration = \"5 s\"\nmedia = \"trunk\"\naction = \"down\"");
    let seen = record(&text, &RUN);
    let [_, answered] = requests(&seen, 21.0, 24.0);
    assert_eq!(answered, 0);
    let [sent, answered] = requests(&seen, 35.0, 69.0);
    assert!(answered + 1 >= sent, "{answered} of {sent}");
}

#[test]
fn load_starts_stops_and_bursts() {
    let bursts = with("at = \"20 s\"\nflows = \"f\"\naction = \"burst\"\nsize = 10");
    let plain = trunk(6, 38_400, "3 ms", FLOW);
    let count = |text: &str| value(&metrics(text, &RUN), "response_time", "count");
    assert_eq!(count(&bursts), count(&plain) + 10.0);
    let stops = with("at = \"30 s\"\nflows = \"f\"\naction = \"stop\"");
    assert!((count(&stops) - 20.0).abs() <= 1.0);
}

#[test]
fn a_bit_error_rate_that_is_set_destroys_frames() {
    let text = with("at = \"20 s\"\nduration = \"20 s\"\naction = \"set\"\nset = { \"trunk.bit_error_rate\" = 0.001 }");
    let observed = metrics(&text, &RUN);
    assert!(value(&observed, "crc_error_rate", "value") > 0.01);
}
