//! The table of reported against recorded figures: `make truth`.

use std::time::Duration as Span;

use sojourn_core::{Duration, Time};
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Impairment, Link, Passed, Path, Shared};
use sojourn_live::prober::plan::{Direction, TimedTest};
use sojourn_metrics::Record;
use sojourn_protocols::probe::wire::Kind;

use super::clocks::SteppedReflector;
use super::irtt::{Irtt, IrttFigures};
use super::load::loaded;
use super::network::{Emulated, Emulator, delayed, measure, measure_at, measure_url, plan};
use super::outages::{self, Interrupted};
use super::record::Faults;
use crate::agent::Agent;

/// Lasts of a measurement in the table.
const MS: u64 = 20_000;

#[test]
#[ignore = "takes minutes; make truth"]
fn reported_figures_beside_the_emulators_record() {
    println!(
        "\n{:<49} {:<28} {:>10} {:>10} {:>10} {:>10}",
        "path", "figure", "reported", "recorded", "irtt", "recorded"
    );
    let spread = Link { jitter: Duration::from_millis(10), loss: 0.02, ..delayed(15) };
    faults("20 ms ± 5 ms, 2 % loss in each direction", &Path::both(spread, 1));
    let lossy = |loss| Link { loss, ..delayed(10) };
    faults("5 % loss forward, 1 % return", &Path::of(lossy(0.05), lossy(0.01), 2));
    let twice = |duplication| Impairment { duplication, ..delayed(10).into() };
    faults("3 % duplicates forward, 1 % return", &Path::of(twice(0.03), twice(0.01), 3));
    let late = |reordering| Impairment { reordering, reorder_delay: Duration::from_millis(20), ..delayed(10).into() };
    faults("3 % reordered forward, 1 % return", &Path::of(late(0.03), late(0.01), 4));
    load_in_flight();
    step_of_one_direction();
    step_of_a_clock();
    interrupted("20 ms, 10 s without a packet in 25 s", Some(outages::outage(25_000, Span::from_secs(10))));
    interrupted("20 ms, the client's link down for 3 s", outages::link_down(MS, Span::from_secs(3)));
    interrupted("20 ms, the agent away for 3 s", Some(outages::restart(MS, Span::from_secs(3))));
    addresses();
}

fn row(path: &str, figure: &str, reported: impl ToString, recorded: impl ToString) {
    row_with_irtt(path, figure, reported, recorded, [String::new(), String::new()]);
}

/// With what irtt reported and what was recorded of its packets.
fn row_with_irtt(path: &str, figure: &str, reported: impl ToString, recorded: impl ToString, irtt: [String; 2]) {
    let (reported, recorded, [irtt, of_irtt]) = (reported.to_string(), recorded.to_string(), irtt);
    println!("{path:<49} {figure:<28} {reported:>10} {recorded:>10} {irtt:>10} {of_irtt:>10}");
}

/// A measurement of an agent with irtt beside it.
fn with_irtt(path: &Path, plan: TimedTest) -> (Emulated, Option<IrttFigures>) {
    let agent = Agent::start(AgentSettings::default());
    let shared = Shared::start();
    let emulator = Emulator::beside("127.0.0.1:0".parse().unwrap(), agent.address, path, &shared);
    let irtt = Irtt::start(path, &shared, MS);
    let measured = measure_url(&format!("sojourn://{}", emulator.address), plan);
    let emulated = Emulated { measured, truth: emulator.end() };
    agent.stop();
    (emulated, irtt.and_then(Irtt::end))
}

fn waiting(ms: u64) -> TimedTest {
    TimedTest { timeout: Duration::from_secs(3), ..plan(ms) }
}

/// Loss, duplicates and reordering of each direction, and the network's round trip.
fn faults(path: &str, emulated: &Path) {
    let (emulated, irtt) = with_irtt(emulated, waiting(MS));
    let of_irtt = |figure: &dyn Fn(&IrttFigures) -> [String; 2]| irtt.as_ref().map_or_else(Default::default, figure);
    let record = emulated.record("idle");
    let sent = record.distribution("lateness").count();
    let packets = |kind, is_forward| {
        let mut packets = emulated.truth.of_kind(kind, is_forward);
        packets.retain(|(number, _)| *number < sent);
        packets
    };
    let (probes, replies) = (packets(Kind::Probe, true), packets(Kind::Reply, false));
    for (direction, of_direction) in [("forward", &probes), ("return", &replies)] {
        let (reported, recorded) = (Faults::reported(record, direction), Faults::of(of_direction));
        let lost = of_irtt(&|irtt| irtt.lost(direction));
        row_with_irtt(path, &format!("lost {direction}"), reported.lost, recorded.lost, lost);
        row(path, &format!("duplicates {direction}"), reported.duplicated, recorded.duplicated);
        row(path, &format!("reordered {direction}"), reported.reordered, recorded.reordered);
    }
    let twice = Faults::of(&probes).duplicated + Faults::of(&replies).duplicated;
    row_with_irtt(path, "duplicates", record.total("duplicates"), twice, of_irtt(&IrttFigures::duplicates));
    let trips = round_trips_ms(&probes, &replies);
    for (name, q) in [("p50", 0.5), ("p99", 0.99)] {
        let reported = record.distribution("path_time").quantile(q).unwrap().seconds() * 1e3;
        let recorded = trips[((trips.len() as f64 * q) as usize).min(trips.len() - 1)];
        let (reported, recorded) = (format!("{reported:.2}"), format!("{recorded:.2}"));
        row_with_irtt(
            path,
            &format!("path_time {name} [ms]"),
            reported,
            recorded,
            of_irtt(&|irtt| irtt.round_trip_ms(q)),
        );
    }
    row(path, "unknown residence times", record.total("unknown_residence"), "");
    if let Some(early) = irtt.map(|irtt| irtt.requests()).filter(|requests| 2 * requests < sent as usize) {
        println!("    irtt ended after {early} requests");
    }
}

/// Time in the emulator of every request and its reply, in order of size.
fn round_trips_ms(probes: &[(u64, &Passed)], replies: &[(u64, &Passed)]) -> Vec<f64> {
    let passage = |passed: &Passed| Some(passed.delivered.first()?.since(passed.arrived).seconds() * 1e3);
    let of_reply = |number| replies.iter().find(|(reply, _)| *reply == number).and_then(|(_, passed)| passage(passed));
    let trips = probes.iter().filter_map(|(number, passed)| Some(passage(passed)? + of_reply(*number)?));
    let mut trips: Vec<f64> = trips.collect();
    trips.sort_by(f64::total_cmp);
    trips
}

fn load_in_flight() {
    let emulated = measure(&Path::both(delayed(200), 5), loaded(8_000_000, Direction::Down));
    let load = emulated.truth.of_kind(Kind::Load, false);
    let lost = load.iter().filter(|(_, passed)| passed.delivered.is_empty()).count() as f64 / load.len() as f64;
    let reported = emulated.record("loaded").value("loss/load");
    row("200 ms in each direction, 8 Mbit/s of load down", "loss of load", reported, lost);
}

fn step_of_one_direction() {
    let path = "20 ms, forward 50 ms from 10 s on";
    let at = Time::ZERO + Duration::from_secs(10);
    let forward = Impairment::from(delayed(20)).with_delay_step(at, Duration::from_millis(30));
    let (emulated, irtt) = with_irtt(&Path::of(forward, delayed(20), 6), waiting(MS));
    clocks(path, &emulated, emulated.record("idle"), "0");
    let of_irtt = irtt.map_or_else(Default::default, |irtt| [irtt.return_p50_ms(), "20.0".to_owned()]);
    row_with_irtt(path, "one_way_delay/return p50 [ms]", p50_ms(emulated.record("idle"), "return"), "20.0", of_irtt);
}

fn step_of_a_clock() {
    let path = "STAMP, 20 ms, its clock +500 ms after 7 s";
    let reflector = SteppedReflector::start(Span::from_secs(7), 500_000_000);
    let emulated = measure_at("stamp", reflector.address, &Path::both(delayed(20), 7), waiting(MS));
    clocks(path, &emulated, emulated.record("idle"), "1");
    for direction in ["forward", "return"] {
        row(path, &format!("one_way_delay/{direction} p50 [ms]"), p50_ms(emulated.record("idle"), direction), "20.0");
    }
}

fn clocks(path: &str, emulated: &Emulated, record: &Record, steps: &str) {
    row(path, "clock_steps", record.total("clock_steps"), steps);
    row(path, "clock_skew [ppm]", format!("{:.1}", record.value("clock_skew") * 1e6), "0.0");
    let of_change = |warning: &&String| warning.contains("path changed") || warning.contains("the clock of");
    emulated.measured.warnings.iter().filter(of_change).for_each(|warning| println!("    {warning}"));
}

fn p50_ms(record: &Record, direction: &str) -> String {
    let delay = record.distribution(&format!("one_way_delay/{direction}")).quantile(0.5);
    format!("{:.2}", delay.unwrap().seconds() * 1e3)
}

/// Outages, with their begin and end since the first request.
fn interrupted(path: &str, interrupted: Option<Interrupted>) {
    let Some(Interrupted { emulated, reported, recorded: [begin, end] }) = interrupted else {
        println!("{path:<49} needs the right to create network namespaces");
        return;
    };
    row(path, "outages", reported.len(), 1);
    for outage in &reported {
        row(path, "begin of outage [s]", format!("{:.3}", outage.begin), format!("{begin:.3}"));
        row(path, "end of outage [s]", format!("{:.3}", outage.end.unwrap_or(f64::NAN)), format!("{end:.3}"));
        println!("    cause: {}", outage.cause.as_deref().unwrap_or("none that this host was given"));
    }
    let record = emulated.record("idle");
    let sent = record.distribution("lateness").count();
    let mut replies = emulated.truth.of_kind(Kind::Reply, false);
    replies.retain(|(number, passed)| *number < sent && !passed.delivered.is_empty());
    // replies in flight when a link goes down are lost behind the emulator
    row(path, "lost", record.total("failures"), sent - replies.len() as u64);
}

fn addresses() {
    let path = "an agent at [::], each address asked";
    let Some(found) = outages::of_every_address(2000) else {
        println!("{path:<49} needs the right to create network namespaces");
        return;
    };
    for (address, [reported, recorded]) in found {
        row(path, &format!("lost at {address}"), reported, recorded);
    }
}
