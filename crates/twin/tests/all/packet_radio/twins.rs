//! A twin reproduces its original: random sites are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.
//!
//! The nightly test infers a twin from one capture as well, but compares all response times of several runs of the original with those
//! of as many of the twin, each with a seed of its own: in some sites a single run differs from the next by more than the bounds,
//! so that an original would miss them against itself.

use sojourn_core::Streams;

use super::sites::{Plan, Service, random_site};
use crate::simulated::{Captured, NANOSECOND};
use crate::twin_of::{Closeness, assert_nine_of_ten_are_close, responses_of_runs};

/// Round trips of a site; the 99th percentile of few is no more certain than the bounds.
const FEW_ROUND_TRIPS: u32 = 1000;
const MANY_ROUND_TRIPS: u32 = 3000;
/// Runs of original and of twin whose response times are compared.
const ONE_RUN: u64 = 1;
const MANY_RUNS: u64 = 5;
/// The user's link, between the terminals' ends.
const OF_USER: &str = "ax25/PING-1/";

fn plan(round_trips: u32) -> Plan {
    Plan {
        round_trips,
        pause: "5 s",
        warm_up: "0 s",
        duration: "200 h",
        terminal: String::new(),
        persistence: &["25 %", "50 %", "100 %"],
        slot_times: &["50 ms", "100 ms"],
        bit_error_rates: &["0.0", "1e-5", "5e-5"],
        sizes: &["40 B", "100 B", "300 B", "600 B"],
        has_background: true,
    }
}

/// A random site.
fn site(number: u32, round_trips: u32) -> (Service, String) {
    let service = Service::ALL[number as usize % Service::ALL.len()];
    let mut draws = Streams::new(u64::from(number), 0).stream("site");
    (service, random_site(&mut draws, service, &plan(round_trips)))
}

/// What is wrong with the twin of a random site; `None` if its percentiles are within the bounds.
fn fault(number: u32, round_trips: u32, runs: u64) -> Option<String> {
    let (service, site) = site(number, round_trips);
    let seed = u64::from(number) + 1;
    let twin = Captured::of(&site, seed, NANOSECOND).twin().expect("frames").scenario;
    let responses = |text: &str, first| {
        responses_of_runs(first..first + runs, |seed| Captured::of(text, seed, NANOSECOND).completions(OF_USER))
    };
    let (expected, found) = (responses(&site, seed), responses(&twin, 1));
    Closeness::of(&expected, &found).fault(format!("site {number}, {service:?}"), &site, &twin)
}

/// The values of a key in a scenario, in order.
fn values<'a>(scenario: &'a str, key: &str) -> Vec<&'a str> {
    let value = |line: &'a str| line.strip_prefix(key)?.strip_prefix(" = ");
    scenario.lines().filter_map(value).collect()
}

#[test]
fn a_digipeated_site_shows_its_losses_and_its_hidden_stations() {
    // 600 B in three frames, go-back-N, 5e-5; the beacon hears a terminal and the digipeater only
    let (service, site) = site(121, FEW_ROUND_TRIPS);
    assert_eq!(service, Service::Digipeated);
    let twin = Captured::of(&site, 122, NANOSECOND).twin().expect("frames").scenario;
    let error_rate: f64 = values(&twin, "bit_error_rate")[0].parse().expect("a number");
    assert!((error_rate / 5e-5 - 1.0).abs() < 0.1, "{error_rate}");
    let heard = ["[\"ping-1\", \"relay-1\"]", "[\"relay-1\"]", "[\"relay-1\"]", "[\"relay-1\", \"writer\"]"];
    assert_eq!(values(&twin, "hears")[..4], heard);
}

#[test]
fn a_net_rom_site_shows_the_delay_of_its_circuits_acknowledgements() {
    // window 1 on the links: acknowledgements wait for the channel while further data arrive
    let (service, site) = site(158, FEW_ROUND_TRIPS);
    assert_eq!(service, Service::NetRom);
    let twin = Captured::of(&site, 159, NANOSECOND).twin().expect("frames").scenario;
    let delays: Vec<bool> = values(&twin, "netrom")
        .into_iter()
        .filter(|keys| keys.contains("ack_delay"))
        .map(|keys| keys.contains("ack_delay = \"2 s\""))
        .collect();
    assert_eq!(delays, [true, true]);
}

#[test]
fn the_twin_of_a_site_of_each_service_has_its_response_times() {
    let faults: Vec<String> = (0..4).filter_map(|number| fault(number, FEW_ROUND_TRIPS, ONE_RUN)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[ignore = "simulates fifty sites and their twins five times each; `make nightly` runs it"]
fn nine_of_ten_twins_have_the_response_times_of_their_sites() {
    assert_nine_of_ten_are_close(|number| fault(number, MANY_ROUND_TRIPS, MANY_RUNS));
}
