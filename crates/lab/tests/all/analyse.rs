//! Captures of simulations, analysed: each transaction has the instants that the simulation recorded, to the nanosecond
//! that the format holds.

use std::path::{Path, PathBuf};

use sojourn_capture::reader::{Reader, Source};
use sojourn_capture::{Analysis, Event, Findings, Network, Outcome, Sink, Transaction};
use sojourn_core::{Stream, Streams};
use sojourn_lab::request::{Analyse, Computing, Run};
use sojourn_lab::{Job, outcome};
use sojourn_metrics::record::{Observation, Record};

use crate::common::{build, folder, request, results, run};

/// Processors that take no time: what is left of a transaction is on the medium, where a capture sees it.
const NO_COSTS: &str = r#"application_copy_per_byte = "0 s", application_latency = "0 s", authentication_pass = "0 s",
complete_transaction = "0 s", deliver = "0 s", deliver_per_byte = "0 s", discard = "0 s",
form_acknowledgement = "0 s", form_packet = "0 s", form_packet_per_byte = "0 s", forward = "0 s",
forward_per_byte = "0 s", network_variable_event = "0 s", open_receive_record = "0 s", open_transaction = "0 s",
send_call = "0 s""#;

/// What a scenario does.
struct Drawn {
    service: &'static str,
    text: String,
}

/// A random scenario: one probe, and others that load the channel.
fn scenario(number: u32) -> Drawn {
    let mut stream = Streams::new(20, number).stream("scenario");
    let service = pick(&mut stream, &["acknowledged", "request", "authenticated", "unacknowledged-repeated", "group"]);
    let timer = pick(&mut stream, &["96 ms", "128 ms", "256 ms"]);
    let (retries, others) = (pick(&mut stream, &["1", "3"]), pick(&mut stream, &["0", "4", "12"]));
    let latency = pick(&mut stream, &["0 s", "50 ms", "300 ms"]);
    let interval = pick(&mut stream, &["300 ms", "700 ms"]);
    let priority = pick(&mut stream, &["true", "false"]);
    let (count, kind) = if service == "group" { (3, "acknowledged") } else { (1, service) };
    let slow = if service == "request" { latency } else { "0 s" };
    let noise = if others == "0" {
        String::new()
    } else {
        format!(
            r#"
[[station]]
name = "other"
count = {others}
[[station]]
name = "sink"
[[flow]]
name = "noise"
from = "other"
to = "sink"
service = "acknowledged"
arrivals = {{ kind = "poisson", interval = "500 ms" }}
"#
        )
    };
    let fast = NO_COSTS.replace('\n', " ");
    let text = format!(
        r#"
[network]
kind = "lontalk"
withdraw_answered_copies = false
[channel]
channel = "TP/FT-10"
[[station]]
name = "switch"
costs = {{ {fast} }}
[[station]]
name = "lamp"
count = {count}
costs = {{ {}, application_jitter = 0.5 }}
{noise}
[[flow]]
name = "command"
from = "switch"
to = "lamp"
service = "{kind}"
priority = {priority}
{}
data = "2 B"
probe = true
arrivals = {{ kind = "poisson", interval = "{interval}" }}
[run]
duration = "20 s"
warm_up = "0 s"
replications = 1
seed = {}
"#,
        fast.replace(r#"application_latency = "0 s""#, &format!(r#"application_latency = "{slow}""#)),
        match service {
            "unacknowledged-repeated" => format!("repeat_timer = \"{timer}\"\nrepeats = {retries}"),
            _ => format!("transaction_timer = \"{timer}\"\nretries = {retries}"),
        },
        number + 1,
    );
    Drawn { service, text }
}

fn pick(stream: &mut Stream, from: &[&'static str]) -> &'static str {
    from[(stream.unit() * from.len() as f64) as usize]
}

/// What the simulation recorded, and the file of its packets.
fn simulated(name: &str, text: &str) -> (Record, PathBuf) {
    let folder = folder(name);
    let pcap = folder.join("capture.pcap");
    let asked = request(&folder, text);
    let computing = Computing { traces: true, ..asked.computing.clone() };
    let job = run(Run { pcap: Some(pcap.clone()), computing, ..asked });
    let record = job.wait().records[0][0].clone();
    (record, pcap)
}

fn analysed(pcap: &Path) -> (Findings, u64) {
    let reader = Reader::open(vec![Source::Path(pcap.to_owned())]).unwrap();
    let mut analysis = Analysis::with_sink(reader, Some(Network::LonTalk), Sink::with_log());
    while analysis.step() {}
    let bytes = std::fs::read(pcap).unwrap();
    let word = |at: usize| u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
    (analysis.finish(), word(24) * 1_000_000_000 + word(28))
}

/// Begin and end of the transactions of the switch, in nanoseconds of the simulation.
fn of_switch(found: &Findings, zero_ns: u64) -> Vec<(u64, Option<u64>, Transaction)> {
    let switch = found.sink.flows().iter().find(|(_, key)| key.from.to_string() == "1/1").map(|(flow, _)| flow);
    let ns = |time: sojourn_core::Time| time.picoseconds() / 1_000 + zero_ns;
    let mut transactions: Vec<_> = found
        .sink
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Transaction(found) if Some(found.flow) == switch => {
                Some((ns(found.begin), found.end.map(ns), *found))
            }
            _ => None,
        })
        .collect();
    transactions.sort_by_key(|(begin, ..)| *begin);
    transactions
}

fn count(record: &Record, name: &str) -> u64 {
    match record.metrics.get(name) {
        Some(Observation::Count(count)) => *count,
        // what is not acknowledged is not retried, and a capture counts no retries of it
        Some(Observation::NotApplicable) => 0,
        other => panic!("{name}: {other:?}"),
    }
}

/// Nanoseconds of an instant of the simulation, as a capture file holds them.
fn nanoseconds(picoseconds: u64, later_s: f64) -> u64 {
    (picoseconds + (later_s * 1e12).round() as u64) / 1_000
}

fn agree(number: u32) {
    let Drawn { service, text } = scenario(number);
    let (record, pcap) = simulated(&format!("analyse-{number}"), &text);
    let (found, zero_ns) = analysed(&pcap);
    let transactions = of_switch(&found, zero_ns);
    let requests = &record.traces["requests/command/switch"];
    let what = format!("scenario {number}, {service}:\n{text}");
    assert!(transactions.len() > 10, "{what}");

    // the receiver acts on the first copy; a request is acted on when its response arrives
    if service == "acknowledged" || service == "unacknowledged-repeated" {
        let heard = requests.iter().filter(|(_, response)| response.is_finite());
        let expected: Vec<u64> = heard.map(|&(sent, response)| nanoseconds(sent, response)).collect();
        let begins: Vec<u64> = transactions.iter().map(|(begin, ..)| *begin).collect();
        let common = expected.len().min(begins.len());
        assert!(expected.len().abs_diff(begins.len()) <= 1, "{what}");
        assert_eq!(begins[..common], expected[..common], "{what}");
    }
    let Some(Observation::Distribution(times)) = record.metrics.get("transaction_time") else { panic!("{what}") };
    if service != "unacknowledged-repeated" && count(&record, "transaction_failures") == 0 {
        let starts = requests.iter().map(|&(sent, _)| sent).collect::<std::collections::BTreeSet<u64>>();
        let mut expected: Vec<u64> =
            starts.iter().zip(times.samples().unwrap()).map(|(sent, span)| (sent + span) / 1_000).collect();
        let ends: Vec<u64> = transactions.iter().filter_map(|(_, end, _)| *end).collect();
        let unseen = transactions.iter().filter(|(.., found)| found.outcome == Outcome::BeganBefore).count();
        let all = expected.len();
        expected.retain(|end| ends.contains(end));
        // one may end within its last nanoseconds of the run
        assert!(ends.len() - expected.len() <= 1, "{what}");
        assert!(all - expected.len() <= unseen + 1, "{unseen} began unseen of {all}; {what}");
        assert_eq!(ends[..expected.len()], expected[..], "{what}");
    }
    let retries: u64 = transactions.iter().map(|(_, _, found)| u64::from(found.attempts) - 1).sum();
    let simulated = count(&record, "retries");
    if count(&record, "collisions") == 0 && service != "unacknowledged-repeated" {
        let last = transactions.last().map_or(0, |(_, _, found)| u64::from(found.attempts));
        assert!(retries.abs_diff(simulated) <= last, "{retries} retries captured, {simulated} simulated; {what}");
    }
    assert!(transactions.iter().rev().skip(1).all(|(.., found)| found.outcome != Outcome::Open), "{what}");
    std::fs::remove_dir_all(pcap.parent().unwrap()).unwrap();
}

#[test]
fn transactions_of_a_capture_are_those_of_the_simulation() {
    (0..6).for_each(agree);
}

#[test]
#[ignore = "fifty random scenarios; `make nightly` runs it"]
fn transactions_of_fifty_captures_are_those_of_their_simulations() {
    (0..50).for_each(agree);
}

#[test]
fn a_capture_has_results_tables_and_verdicts() {
    let (record, pcap) = simulated("analyse-results", &scenario(1).text);
    let out = pcap.with_file_name("out");
    let analyse = Analyse {
        captures: vec![pcap.clone()],
        expect: vec!["response_time.p99 < 10 s".into(), "packets < 5".into()],
        out: Some(out.clone()),
        ..Analyse::default()
    };
    let job = Job::start(analyse, build()).unwrap();
    let outcome = job.wait();
    let found = results(outcome);
    assert_eq!((&found["world"], &found["network"]), (&"captured".into(), &"lontalk".into()));
    let metrics = &found["points"][0]["metrics"];
    assert_eq!(metrics["packets"]["value"], count(&record, "packets") as f64);
    assert_eq!(outcome.status, outcome::Status::Done);
    let verdicts: Vec<String> = outcome.verdicts.iter().map(|found| format!("{:?}", found.judgement.verdict)).collect();
    assert_eq!(verdicts, ["Met", "Missed"]);
    for name in ["results.json", "capture.json", "flows.csv", "stations.csv", "conversations.csv", "timeline.csv"] {
        assert!(out.join(name).exists(), "{name}");
    }
    let flows = std::fs::read_to_string(out.join("flows.csv")).unwrap();
    assert!(flows.starts_with("from,to,service,member,transactions,"), "{flows}");
}

#[test]
fn what_cannot_be_analysed_is_refused_in_words() {
    let folder = folder("analyse-refused");
    let empty = folder.join("empty.pcap");
    std::fs::write(&empty, b"").unwrap();
    let refusal = |analyse: Analyse| Job::start(analyse, build()).unwrap_err().to_string();
    let of = |path: &Path| Analyse { captures: vec![path.to_owned()], ..Analyse::default() };
    assert!(refusal(of(&empty)).contains("is empty: it has 0 bytes"));
    assert!(refusal(of(&folder.join("none.pcap"))).contains("cannot be read"));
    assert!(refusal(Analyse { network: Some("lontlk".into()), ..of(&empty) }).contains("`lontlk` are not analysed"));
    assert!(refusal(Analyse { bit_rate: Some("fast".into()), ..of(&empty) }).contains("`fast` is not a bit rate"));

    let (_, pcap) = simulated("analyse-other", &scenario(0).text);
    let other = Analyse { network: Some("packet-radio".into()), ..of(&pcap) };
    let job = Job::start(other, build()).unwrap();
    let error = job.wait().error.clone().unwrap();
    assert!(error.contains("no packet is of packet-radio") && error.contains("link type 101"), "{error}");
}
