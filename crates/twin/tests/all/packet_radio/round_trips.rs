//! Round trip of packet radio: what the tracker finds in the capture of a simulation is what the simulation measured.

use sojourn_capture::{Event, FlowId, Outcome, Sent, Transaction};
use sojourn_core::Streams;
use sojourn_metrics::record::{Observation, Record};

use super::sites::{Plan, Service, random_site};
use crate::simulated::{Captured, NANOSECOND};

/// Scenarios of each service in the nightly test.
const MANY: u32 = 50;
/// Scenarios whose path lasts.
const MOST: usize = 45;
/// Stamps of a capture are whole nanoseconds: a time between two of them, s.
const STAMP_S: f64 = 2e-9;
/// The serial lines of the terminals carry the largest block in this time, s: an answer that was sent again leaves less of
/// it queued there, which a capture does not show.
const SERIAL_S: f64 = 1e-3;
/// Information of AX.25 frames between nodes, and between switches, that has no user data, at most, B.
const NET_ROM_HEADER: u32 = 20;
const ROSE_HEADER: u32 = 3;

/// Terminals that exchange blocks over idle channels with bit errors. The pause between round trips lets the channels fall
/// silent: the time to the first transmission of a block is then always the same. The path is set up in the warm-up.
fn plan() -> Plan {
    Plan {
        round_trips: 20,
        pause: "60 s",
        warm_up: "14 min",
        duration: "20 h",
        terminal: "serial_rate = \"10 Mbit/s\"\n".to_owned(),
        persistence: &["100 %"],
        slot_times: &["100 ms"],
        bit_error_rates: &["0.0", "1e-5", "5e-5", "1e-4"],
        sizes: &["16 B", "64 B", "300 B", "700 B"],
        has_background: false,
    }
}

fn count(record: &Record, name: &str) -> u64 {
    match record.metrics.get(name) {
        Some(Observation::Count(count)) => *count,
        other => panic!("{name} is {other:?}"),
    }
}

/// Exchanges of the user's link after the warm-up, up to the last frame of each answer, and those of the far link or the circuit within them.
fn exchanges(captured: &Captured, service: Service) -> (Vec<Transaction>, Vec<Transaction>) {
    let measured = |member: &str| {
        let mut found = captured.completed_of(member);
        found.retain(|exchange| exchange.begin >= captured.begin);
        found.sort_by_key(|exchange| exchange.begin);
        found
    };
    match service {
        Service::Direct | Service::Digipeated => (measured("ax25/PING-1/PONG-1"), Vec::new()),
        // far link and near link have the same ends
        Service::Rose => measured("ax25/PING-1/PONG-1").chunks(2).map(|pair| (pair[0], pair[1])).unzip(),
        Service::NetRom => {
            let far =
                captured.out.flows().iter().map(|(_, key)| key.member()).find(|member| member.starts_with("netrom/"));
            (measured("ax25/PING-1/RELAY-1"), measured(&far.expect("a circuit")))
        }
    }
}

/// Compares each response time of a random scenario, its retries and its polls; false if its path was lost, since the
/// commands that set it up again look like round trips.
fn round_trips_are_those_of_the_simulation(number: u32, service: Service) -> bool {
    let mut draws = Streams::new(u64::from(number), 0).stream("scenario");
    let text = random_site(&mut draws, service, &plan());
    let captured = Captured::of(&text, u64::from(number) + 1, NANOSECOND);
    if count(&captured.record, "failures") > 0 {
        return false;
    }
    let about = format!("of scenario {number}, {service:?}:\n{text}");
    let trace = captured.record.traces.get("response_time").cloned().unwrap_or_default();
    let (all, inner) = exchanges(&captured, service);
    let found: Vec<Transaction> = all.iter().filter(|each| each.outcome == Outcome::Answered).copied().collect();
    // the simulation ends with the last octet of the last answer, before its acknowledgement: the capture leaves it open
    let open = all.iter().filter(|each| each.outcome == Outcome::Open).count();
    assert_eq!((found.len(), open), (trace.len() - 1, 1), "round trips {about}");
    // the time before the first frame ends and after the last one: serial lines, key-up and that frame
    let before = |index: usize| {
        let response = found[index].end.expect("answered").since(found[index].begin).seconds();
        trace[index].1 - response
    };
    let undisturbed = (0..found.len()).find(|&index| found[index].attempts == 1);
    let usual = before(undisturbed.unwrap_or(0));
    for (index, exchange) in found.iter().enumerate() {
        let difference = (before(index) - usual).abs();
        let bound = if exchange.attempts == 1 && undisturbed.is_some() { STAMP_S } else { SERIAL_S };
        assert!(difference <= bound, "round trip {index}: {difference} s {about}");
    }
    for (exchange, within) in found.iter().zip(&inner) {
        assert!(within.begin > exchange.begin && within.end < exchange.end, "{within:?} within {exchange:?} {about}");
    }
    assert_eq!(retries(&captured), count(&captured.record, "retries"), "retries {about}");
    assert_eq!(polls(&captured), count(&captured.record, "polls"), "polls {about}");
    true
}

/// I frames with user data that were sent again after the warm-up, over all links.
fn retries(captured: &Captured) -> u64 {
    let flows = captured.out.flows();
    let header = |flow: FlowId| match flows.key(flow).map(|key| key.member()).unwrap_or_default() {
        member if member.starts_with("ax25/RELAY") => {
            let rose = flows.iter().any(|(_, key)| key.member().starts_with("rose/"));
            Some(if rose { ROSE_HEADER } else { NET_ROM_HEADER })
        }
        member if member.starts_with("ax25/") => Some(0),
        _ => None,
    };
    let again = |sent: &&Sent| {
        sent.repeated && sent.time >= captured.begin && header(sent.flow).is_some_and(|header| sent.l4_bytes > header)
    };
    let sent =
        captured.out.log().iter().filter_map(|event| if let Event::Sent(sent) = event { Some(sent) } else { None });
    sent.filter(again).count() as u64
}

/// Supervisory polls after the warm-up.
fn polls(captured: &Captured) -> u64 {
    let count = |event: &Event| if let Event::Count(_, "polls", more) = event { *more } else { 0 };
    captured.out.log()[captured.events_before..].iter().map(count).sum()
}

#[test]
fn response_times_and_retries_of_captured_packet_radio_are_those_of_the_simulation() {
    for (number, service) in (0..).zip(Service::ALL) {
        assert!(round_trips_are_those_of_the_simulation(number, service));
    }
}

#[test]
#[ignore = "simulates two hundred scenarios; `make nightly` runs it"]
fn response_times_and_retries_of_many_captures_are_those_of_the_simulation() {
    for service in Service::ALL {
        let compared = (0..MANY).filter(|&number| round_trips_are_those_of_the_simulation(number, service)).count();
        assert!(compared >= MOST, "{compared} of {MANY} with {service:?}");
    }
}
