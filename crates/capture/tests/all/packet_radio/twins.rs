//! A twin reproduces its original: random sites are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.

use sojourn_capture::Event;
use sojourn_core::Streams;

use super::capture::Captured;
use super::sites::{Plan, Service, random_site};

/// Sites of the nightly test, and those of them that may miss the bounds.
const MANY: u32 = 50;
const MISSES: usize = 20;
/// Round trips of a site; the 99th percentile of few is no more certain than the bounds.
const FEW_ROUND_TRIPS: u32 = 1000;
const MANY_ROUND_TRIPS: u32 = 3000;
/// Differences of the percentiles of original and twin.
const P50: f64 = 0.05;
const P99: f64 = 0.15;

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

/// Response times between the terminals' ends of the user's link, ascending, s.
fn responses(captured: &Captured) -> Vec<f64> {
    let flows = captured.out.flows();
    let of_user = |flow| flows.key(flow).is_some_and(|key| key.member().starts_with("ax25/PING-1/"));
    let response = |event: &Event| match event {
        Event::Transaction(found) if of_user(found.flow) => found.end.map(|end| end.since(found.begin).seconds()),
        _ => None,
    };
    let mut responses: Vec<f64> = captured.out.log().iter().filter_map(response).collect();
    responses.sort_by(f64::total_cmp);
    responses
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}

/// What is wrong with the twin of a random site; `None` if its percentiles are within the bounds.
fn fault(number: u32, round_trips: u32) -> Option<String> {
    let service = Service::ALL[number as usize % Service::ALL.len()];
    let mut draws = Streams::new(u64::from(number), 0).stream("site");
    let site = random_site(&mut draws, service, &plan(round_trips));
    let original = Captured::of(&site, u64::from(number) + 1);
    let expected = responses(&original);
    let twin = original.twin();
    let found = responses(&Captured::of(&twin.scenario, 1));
    if found.is_empty() || expected.is_empty() {
        return Some(format!(
            "site {number}: {} and {} responses\n{site}\n{}",
            expected.len(),
            found.len(),
            twin.scenario
        ));
    }
    let ratio = |share: f64| at(&found, share) / at(&expected, share);
    let (p50, p99) = (ratio(0.5), ratio(0.99));
    let close = (p50 - 1.0).abs() <= P50 && (p99 - 1.0).abs() <= P99;
    (!close).then(|| format!("site {number}, {service:?}: p50 x {p50:.3}, p99 x {p99:.3}\n{site}\n{}", twin.scenario))
}

#[test]
fn the_twin_of_a_site_of_each_service_has_its_response_times() {
    let faults: Vec<String> = (0..4).filter_map(|number| fault(number, FEW_ROUND_TRIPS)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[ignore = "simulates a hundred sites; `make nightly` runs it"]
fn three_of_five_twins_have_the_response_times_of_their_sites() {
    let faults: Vec<String> = (0..MANY).filter_map(|number| fault(number, MANY_ROUND_TRIPS)).collect();
    assert!(faults.len() <= MISSES, "{} of {MANY}: {}", faults.len(), faults.join("\n"));
}
