//! Polls of one receiver after another, and messages as they were recorded.

use std::collections::BTreeMap;

use sojourn_can::NETWORKS;
use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_model::Replication;
use sojourn_model::testing::value;
use sojourn_scenario::check;

use crate::support::{bus, metrics, number, record, scenario};

/// A frame of 8 bytes with its intermission at 500 kbit/s, in microseconds, and up to its end.
const FRAME: f64 = 270.0;
const ALONE: f64 = 264.0;

/// A sender that polls three drives.
fn drives(service: &str, arrivals: &str) -> String {
    let flow = format!(
        "[[flow]]\nname = \"read\"\nfrom = \"a\"\nto = [\"sink\", \"b\", \"c\"]\nid = 0x601\nservice = \"{service}\"\nprobe = true\n\
         arrivals = {{ kind = \"poll\", start = \"at-once\", {arrivals} }}\n"
    );
    bus(&["a", "b", "c"], &flow)
}

fn assert_microseconds(found: f64, expected: f64) {
    assert!((found * 1e6 - expected).abs() < 1e-3, "{} us, not {expected} us", found * 1e6);
}

#[test]
fn a_poll_reads_an_object_of_one_drive_after_another() {
    let observed = metrics(&drives("sdo", "cycle = \"30 ms\""), &[("flow.read.data", "4 B")]);
    assert_microseconds(value(&observed, "response_time", "max"), FRAME + ALONE);
    assert_microseconds(value(&observed, "response_time", "min"), FRAME + ALONE);
    // the third is asked 20 ms after the first
    assert_microseconds(value(&observed, "poll_cycle", "max"), 20_000.0 + FRAME + ALONE);
    assert_eq!(value(&observed, "response_time", "count"), 1000.0, "10 s of one every 10 ms");
}

#[test]
fn a_poll_waits_for_the_answer_to_the_last_one() {
    let text = drives("sdo", "interval = \"10 us\"");
    let observed = metrics(&text, &[("flow.read.data", "4 B")]);
    // two frames for each drive, the last up to its end
    assert_microseconds(value(&observed, "poll_cycle", "min"), 5.0 * FRAME + ALONE);
    assert!(record(&text, &[]).notes.iter().any(|note| note.contains("polls of read: a round over 3 receivers")));
}

#[test]
fn a_drive_without_power_is_asked_until_the_timeout_and_the_round_goes_on() {
    let event =
        "[[event]]\nname = \"off\"\nat = \"0 s\"\nduration = \"100 s\"\nstations = \"b\"\naction = \"power-down\"\n";
    let text = format!("{}{event}", drives("sdo", "cycle = \"30 ms\""));
    let observed = record(&text, &[("flow.read.data", "4 B"), ("flow.read.timeout", "15 ms")]);
    // 10 ms, 15 ms without an answer, the abort of that transfer, and the third
    let rounds = observed.distribution("poll_cycle/read");
    assert_eq!(rounds.max(), Some(Duration::from_micros(10_000 + 15_000 + 270 + 534)));
    assert!((number(&observed, "loss/read") - 1.0 / 3.0).abs() < 1e-3);
}

#[test]
fn frames_that_are_sent_to_each_in_turn_count_once() {
    let observed = metrics(&drives("broadcast", "cycle = \"30 ms\""), &[]);
    assert_eq!(value(&observed, "packets", "value"), 1000.0);
    assert_eq!(value(&observed, "response_time", "count"), 1000.0);
    assert_microseconds(value(&observed, "poll_cycle", "max"), 20_000.0 + ALONE);
}

#[test]
fn a_poll_of_j1939_sends_a_message_to_each() {
    let edits = [("flow.read.extended", "true"), ("flow.read.data", "20 B")];
    let observed = metrics(&drives("j1939", "cycle = \"3 s\""), &edits);
    // request, clearance, three packets and the acknowledgement, of 160 bits each; complete with the last packet
    assert_microseconds(value(&observed, "response_time", "max"), 2.0 * (5.0 * 160.0 - 3.0));
    assert_eq!(value(&observed, "loss", "value"), 0.0);
}

#[test]
fn the_identifiers_of_polls_follow_each_other() {
    let text = drives("sdo", "cycle = \"30 ms\"");
    let problems = scenario(&text, &[("flow.read.id", "0x7fe")]).unwrap_err().to_string();
    assert!(problems.contains("the identifiers of 3 polls go beyond 7FFh"), "{problems}");
    let arrivals = ("flow.read.arrivals", "{ kind = \"periodic\", interval = \"30 ms\" }");
    let problems = scenario(&text, &[arrivals]).unwrap_err().to_string();
    assert!(problems.contains("service sdo has one receiver, and `to` names 3"), "{problems}");
}

/// One replication of a flow of recorded messages from `a` to the sink.
fn recorded(keys: &str, rows: &str) -> Result<Record, String> {
    let flow = format!(
        "[[flow]]\nname = \"seen\"\nfrom = \"a\"\nto = \"sink\"\nid = 1\nprobe = true\n{keys}\n\
         arrivals = {{ kind = \"trace\", file = \"seen.csv\" }}\n"
    );
    let files: BTreeMap<String, String> = [("seen.csv".to_owned(), format!("time,from,to,size\n{rows}"))].into();
    let document = NETWORKS.kinds().parse_with("test.toml", &bus(&["a"], &flow), files).map_err(|it| it.to_string())?;
    let scenario = check(&document).map_err(|problems| problems.to_string())?;
    let model = NETWORKS.model(&scenario).map_err(|problems| problems.to_string())?;
    Ok(model.replicate(Replication::alone(Duration::from_secs(10))))
}

#[test]
fn recorded_messages_are_sent_when_they_were_with_the_bytes_that_they_had() {
    let found = recorded("", "0.5,a,sink,8\n0.6,a,sink,1\n0.7,sink,a,8\n").unwrap();
    assert_eq!(number(&found, "packets"), 2.0, "the third is of another sender");
    let times = found.distribution("response_time");
    // 65 bits of one byte and 135 of eight, each without its intermission
    assert_eq!([times.min(), times.max()], [124, 264].map(|us| Some(Duration::from_micros(us))));
    assert_eq!(number(&found, "throughput"), 9.0 * 8.0 / 10.0);
}

#[test]
fn a_recorded_message_of_several_frames_has_those_of_its_size() {
    let found = recorded("service = \"isotp\"", "0.5,a,sink,7\n1,a,sink,20\n").unwrap();
    // a single frame; a first one, flow control and two that follow
    assert_eq!(number(&found, "packets"), 1.0 + 4.0);
    let times = found.distribution("response_time");
    assert_eq!([times.min(), times.max()], [264, 3 * 270 + 264].map(|us| Some(Duration::from_micros(us))));
}

#[test]
fn a_recorded_message_that_fits_no_frame_is_refused_with_its_line() {
    let why = recorded("", "0.5,a,sink,8\n0.6,a,sink,9\n").unwrap_err();
    assert!(why.contains("line 3 of the trace: the size must be a whole number of bytes from 0 to 8"), "{why}");
}
