//! A recorded session with loss: what the kernels counted, and what tshark finds in the same file.

use std::path::{Path, PathBuf};

use sojourn_capture::reader::{Reader, Source};
use sojourn_capture::{Analysis, Event, Network, Outcome, Sink};

use super::script::Report;
use super::tshark::tshark;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tcp-loss.pcapng")
}

fn report() -> Report {
    let reader = Reader::open(vec![Source::Path(recorded())]).unwrap();
    let mut analysis = Analysis::with_sink(reader, Some(Network::Ip), Sink::with_log());
    while analysis.step() {}
    Report(analysis.finish().sink)
}

#[test]
fn the_retransmissions_that_the_kernels_counted_are_found() {
    let report = report();
    let [all, timeouts, fast, tail_loss_probes, spurious] = report.retransmissions();
    assert_eq!((all, fast), (12, 4));
    assert_eq!(timeouts + tail_loss_probes + spurious, 8);
    assert_eq!(report.count("connections"), 3);
    let answered = report.transactions().iter().filter(|(outcome, ..)| *outcome == Outcome::Answered).count();
    assert_eq!(answered, 9);
}

#[test]
fn handshakes_without_retransmission_have_the_round_trip_time_that_tshark_gives() {
    let field = "tcp.analysis.initial_rtt";
    let Some(lines) = tshark(&recorded(), field, field) else {
        eprintln!("skipped: tshark is not installed");
        return;
    };
    let report = report();
    let ours: Vec<f64> = report
        .0
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Sample(_, "handshake_rtt", _, rtt) => Some(rtt.seconds()),
            _ => None,
        })
        .collect();
    assert_eq!(ours.len(), 2, "of the third SYN was sent again");
    let is_theirs = |rtt: &f64| lines.iter().any(|line| (line.parse::<f64>().unwrap() - rtt).abs() < 1e-9);
    assert!(ours.iter().all(is_theirs), "{ours:?} and {lines:?}");
}
