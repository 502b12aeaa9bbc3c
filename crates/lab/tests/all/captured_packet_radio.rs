//! Round trip of packet radio: what the tracker finds in the capture of a simulation is what the simulation measured.

use sojourn_capture::{Ax25, Event, LinkType, Outcome, Packet, Sink, Tracker, Transaction};
use sojourn_core::random::Stream;
use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_networks::Replication;
use sojourn_scenario::{Document, check};

/// Scenarios of the test that always runs, and of the nightly one.
const FEW: u32 = 3;
const MANY: u32 = 50;

/// The serial lines of the terminals carry the largest block in this time, s: an answer that was sent again leaves less of
/// it queued there, which a capture does not show.
const SERIAL_S: f64 = 1e-3;

/// Follows the frames of a replication as they are captured.
struct Analysis {
    tracker: Ax25,
    out: Sink,
    number: u64,
}

impl FrameSink for Analysis {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.number += 1;
        self.tracker.packet(&Packet::whole(self.number, at, LinkType::AX25_KISS, bytes), &mut self.out);
    }
}

/// Two terminals, with up to two digipeaters between them, that exchange blocks over an idle channel with bit errors. The
/// pause between round trips lets the channel fall silent: the time to the first transmission of a block is then always
/// the same.
fn random_scenario(draws: &mut Stream) -> String {
    let mut pick = |choices: &[&str]| choices[draws.below(choices.len() as u32) as usize].to_owned();
    let digipeaters = pick(&["0", "1", "2"]).parse::<usize>().expect("a number");
    let path: Vec<String> = (1..=digipeaters).map(|n| format!("\"hill-{n}\"")).collect();
    let hears = |n: usize| {
        let (before, after) = match n {
            0 => ("ping".to_owned(), format!("hill-{}", n + 1)),
            n => (format!("hill-{n}"), format!("hill-{}", n + 1)),
        };
        (before, if n == digipeaters { "pong".to_owned() } else { after })
    };
    let (_, first) = hears(0);
    let (last, _) = hears(digipeaters);
    let mut stations = format!(
        "[[station]]\nname = \"ping\"\ncallsign = \"PING\"\nhears = [\"{first}\"]\n\
         [[station]]\nname = \"pong\"\ncallsign = \"PONG\"\nhears = [\"{last}\"]\n"
    );
    for n in 1..=digipeaters {
        let (before, after) =
            if n == 1 { ("ping".to_owned(), hears(1).1) } else { (format!("hill-{}", n - 1), hears(n).1) };
        stations.push_str(&format!(
            "[[station]]\nname = \"hill-{n}\"\ntype = \"digipeater\"\ncallsign = \"HILL-{n}\"\nhears = [\"{before}\", \"{after}\"]\n"
        ));
    }
    let route = if path.is_empty() { String::new() } else { format!("path = [{}]\n", path.join(", ")) };
    let (size, rate) = (pick(&["16 B", "64 B", "300 B", "700 B"]), pick(&["1200 bit/s", "9600 bit/s"]));
    let (errors, paclen) = (pick(&["0.0", "1e-5", "5e-5", "1e-4"]), pick(&["64 B", "128 B", "256 B"]));
    let (version, reject) = (pick(&["v2.0", "v2.2"]), pick(&["go-back", "selective", "multi-selective"]));
    let window = pick(&["1", "4", "7"]);
    format!(
        "[network]\nkind = \"packet-radio\"\n\
         [channel]\nbit_rate = \"{rate}\"\npersistence = \"100 %\"\nbit_error_rate = {errors}\n{stations}\
         [probe]\nfrom = \"ping\"\nto = \"pong\"\nsize = \"{size}\"\nround_trips = 20\npause = \"60 s\"\n{route}\
         [run]\nduration = \"20 h\"\nwarm_up = \"0 s\"\n\
         [defaults]\npaclen = \"{paclen}\"\nversion = \"{version}\"\nreject = \"{reject}\"\nwindow = {window}\n\
         serial_rate = \"10 Mbit/s\"\n"
    )
}

/// A replication with traces, and what the tracker found in its frames.
fn simulated_and_captured(text: &str, seed: u64) -> (Record, Vec<Event>) {
    let (scenario, defaults) = text.split_once("[defaults]\n").expect("the defaults come last");
    let mut document =
        Document::parse("test.toml", scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    for line in defaults.lines() {
        let (key, value) = line.split_once(" = ").expect("a key and a value");
        let key = format!("station.{key}");
        document.set(&key, value, line).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    }
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{text}{}", problems.render(false, 100)));
    let network = sojourn_networks::find(scenario.kind).expect("a registered network");
    let model = network.model(&scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let mut analysis = Analysis { tracker: Ax25::default(), out: Sink::with_log(), number: 0 };
    let alone = Replication::alone(scenario.run().duration);
    let record = model.replicate(Replication { seed, traces: true, capture: Some(&mut analysis), ..alone });
    let end = Time::ZERO + Duration::from_secs(72_000);
    analysis.tracker.finish(end, &mut analysis.out);
    (record, analysis.out.log().to_vec())
}

fn count(record: &Record, name: &str) -> u64 {
    match record.metrics.get(name) {
        Some(Observation::Count(count)) => *count,
        other => panic!("{name} is {other:?}"),
    }
}

fn counted(events: &[Event], name: &str) -> u64 {
    let count = |event: &Event| match event {
        Event::Count(_, metric, more) if *metric == name => Some(*more),
        _ => None,
    };
    events.iter().filter_map(count).sum()
}

fn transactions(events: &[Event]) -> Vec<Transaction> {
    let found = |event: &Event| if let Event::Transaction(transaction) = event { Some(*transaction) } else { None };
    events.iter().filter_map(found).collect()
}

/// Compares each response time of a random scenario, its retries and its polls.
fn round_trips_are_those_of_the_simulation(number: u32) {
    let mut draws = Streams::new(u64::from(number), 0).stream("scenario");
    let text = random_scenario(&mut draws);
    let (record, events) = simulated_and_captured(&text, u64::from(number) + 1);
    let trace = record.traces.get("response_time").cloned().unwrap_or_default();
    let all = transactions(&events);
    let found: Vec<Transaction> = all.iter().filter(|each| each.outcome == Outcome::Answered).copied().collect();
    // the simulation ends with the last octet of the last answer, before its acknowledgement: the capture leaves it open
    let open = all.iter().filter(|each| each.outcome == Outcome::Open).count();
    assert_eq!((found.len(), open), (trace.len() - 1, 1), "round trips of scenario {number}:\n{text}");
    let before = |index: usize| {
        let response = found[index].end.expect("answered").since(found[index].begin).seconds();
        trace[index].1 - response
    };
    // the time before the first frame ends and after the last one: serial lines, key-up and that frame; the first round
    // trip also waits until the link is up
    let usual = before(found.len() / 2);
    for index in 1..found.len() {
        let difference = before(index) - usual;
        assert!(difference.abs() < SERIAL_S, "round trip {index} of scenario {number}: {difference} s\n{text}");
    }
    let tries: u64 = all.iter().map(|each| u64::from(each.attempts - 1)).sum();
    assert_eq!(tries + counted(&events, "retries"), count(&record, "retries"), "retries of scenario {number}:\n{text}");
    assert_eq!(counted(&events, "polls"), count(&record, "polls"), "polls of scenario {number}:\n{text}");
}

#[test]
fn response_times_and_retries_of_a_captured_link_are_those_of_the_simulation() {
    (0..FEW).for_each(round_trips_are_those_of_the_simulation);
}

#[test]
#[ignore = "simulates fifty scenarios; `make nightly` runs it"]
fn response_times_and_retries_of_many_captured_links_are_those_of_the_simulation() {
    (FEW..MANY).for_each(round_trips_are_those_of_the_simulation);
}
