//! `sojourn relay`: the impairments of the network emulator, and its run.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use sojourn_core::{Duration, RateTrace, Time};
use sojourn_lan::ip::emulated::{Conditions, EmulatedPath, OneWay};
use sojourn_live::emulator::{Impairment, Link, Path as EmulatedLinks, Service};
use sojourn_live::transport::{Measure, NoFrames};
use sojourn_live::{Target, Watch};
use sojourn_scenario::keys::live::emulator::IMPAIRMENTS;
use sojourn_scenario::options::{self, Written};
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Problem, Problems, Table, rate_trace};

use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::Relay;

/// An emulator whose sockets are open.
pub struct EmulatorTask(Measure);

impl EmulatorTask {
    /// Checks the request and opens its sockets.
    pub fn open(request: &Relay) -> Result<EmulatorTask, Problems> {
        service(request)?.open().map(EmulatorTask)
    }

    /// Forwards, on this thread, until it is stopped.
    pub fn run(self, provenance: Provenance, watch: &Arc<Watch>) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        (self.0)(watch, &mut NoFrames);
        outcome.status = Status::Done;
        outcome
    }
}

fn service(request: &Relay) -> Result<Service, Problems> {
    let written: Vec<Written<'_>> = request
        .options
        .iter()
        .map(|change| Written { name: &change.key, value: &change.value, argument: &change.argument })
        .collect();
    let table = options::read("options", IMPAIRMENTS, &written);
    let outage = request.outage.as_deref().map(outage).transpose();
    let (table, outage) = match (table, outage) {
        (Ok(table), Ok(outage)) => (table, outage),
        (table, outage) => {
            let mistakes = table.err().into_iter().chain(outage.err()).flat_map(|found| found.0);
            return Err(Problems(mistakes.collect()));
        }
    };
    alone(request)?;
    let (path, ends, notes) = match &request.scenario {
        Some(file) => of_scenario(file, request)?,
        None => (path(&table, outage, request.seed.unwrap_or(1))?, None, Vec::new()),
    };
    Ok(Service {
        here: Target::of_address(&request.listen),
        remote: Target::of_address(&request.to),
        open: request.open,
        path,
        duration: table.optional_duration("duration").or(ends),
        notes,
    })
}

/// The path between the hosts of a scenario's probe, how long its run lasts, and what is not emulated.
fn of_scenario(file: &Path, request: &Relay) -> Result<(EmulatedLinks, Option<Duration>, Vec<String>), Problems> {
    let scenario = crate::check(file, &request.set)?;
    let seed = request.seed.unwrap_or(scenario.run().seed);
    let EmulatedPath { directions: [forward, reverse], end } = EmulatedPath::of(&scenario, seed)?;
    let has_traffic = !scenario.list("flow").is_empty() || scenario.table("background").has("from");
    let note = "the traffic of the scenario is not emulated: `sojourn measure --load` makes some".to_owned();
    let notes = has_traffic.then_some(note).into_iter().collect();
    let path = EmulatedLinks::of(impairment(forward), impairment(reverse), seed);
    Ok((path, Some(end.since(Time::ZERO)), notes))
}

fn impairment(direction: OneWay) -> Impairment {
    let link = |Conditions { is_up, delay, jitter, loss, rate }| Link { is_up, delay, jitter, loss, rate };
    Impairment {
        link: link(direction.initially),
        changes: direction.changes.into_iter().map(|(at, conditions)| (at, link(conditions))).collect(),
        trace: direction.trace,
        queue: direction.queue,
        overhead: direction.overhead,
        ..Impairment::default()
    }
}

/// Options that mean nothing without another, or beside a scenario.
fn alone(request: &Relay) -> Result<(), Problems> {
    let given = |name: &str| request.options.iter().any(|change| change.key == name);
    let mut problems = Problems::new();
    if request.scenario.is_some() {
        let impairments = request.options.iter().map(|change| change.key.as_str()).filter(|key| *key != "duration");
        for option in impairments.chain(request.outage.iter().map(|_| "outage")) {
            let problem =
                Problem::plain(format!("--{option} does not go with --scenario, whose media and events say it"));
            problems.push(problem.help("change the scenario: --set 'medium.NAME.delay=20 ms'"));
        }
    } else if !request.set.is_empty() {
        problems.push(Problem::plain("--set has no effect without --scenario").help("--scenario path.toml"));
    }
    if given("rate") && given("rate-trace") {
        let problem = Problem::plain("--rate does not go with --rate-trace, which says the rate over time");
        problems.push(problem.help("leave one of them out"));
    }
    for (option, needed, example) in
        [("reorder-delay", "reordering", "--reordering '1 %'"), ("queue", "rate", "--rate '10 Mbit/s'")]
    {
        if given(option) && !given(needed) && !(needed == "rate" && given("rate-trace")) {
            problems.push(Problem::plain(format!("--{option} has no effect without --{needed}")).help(example));
        }
    }
    problems.or(())
}

fn path(table: &Table, outage: Option<Range<Time>>, seed: u64) -> Result<EmulatedLinks, Problems> {
    let trace = rate_trace::of(table, "rate-trace")?;
    let link = Link {
        is_up: true,
        delay: table.duration("delay"),
        jitter: table.duration("jitter"),
        loss: table.number("loss"),
        rate: table.optional_number("rate").map(|rate| rate as u64),
    };
    let asked = Impairment {
        duplication: table.number("duplication"),
        reordering: table.number("reordering"),
        reorder_delay: table.duration("reorder-delay"),
        queue: table.number("queue") as u64,
        // what Mahimahi counts of a datagram: its headers, and that of its TUN device
        overhead: trace.as_ref().and_then(RateTrace::header).map_or(0, |header| u64::from(UDP_HEADERS + header)),
        trace: trace.map(Arc::new),
        ..link.into()
    };
    let asked = match outage {
        Some(outage) => asked.with_outage(outage),
        None => asked,
    };
    let none = Impairment::default();
    Ok(match table.word("direction") {
        "forward" => EmulatedLinks::of(asked, none, seed),
        "reverse" => EmulatedLinks::of(none, asked, seed),
        _ => EmulatedLinks::both(asked, seed),
    })
}

/// Octets of the headers of UDP and IPv4 (RFC 768, RFC 791).
const UDP_HEADERS: u32 = 28;

/// An interval from the start, `10 s:15 s`.
fn outage(text: &str) -> Result<Range<Time>, Problems> {
    let argument = format!("--outage {text}");
    let wrong = |message: String| {
        let problem = Problem::argument(&argument, argument.len() - text.len()..argument.len(), message);
        Problems::from(problem.help("--outage '10 s:15 s'"))
    };
    let time = |text: &str| Quantity::parse(text, Dimension::Time).ok().and_then(Quantity::duration);
    let ends = text.split_once(':').and_then(|(from, to)| time(from).zip(time(to)));
    let (from, to): (Duration, Duration) = ends.ok_or_else(|| wrong(format!("`{text}` is not FROM:TO, two times")))?;
    if from >= to {
        return Err(wrong(format!("`{text}` ends before it begins")));
    }
    Ok(Time::ZERO + from..Time::ZERO + to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Change;

    fn request(options: &[(&str, &str)], outage: Option<&str>) -> Relay {
        let change = |(key, value): &(&str, &str)| Change {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
            argument: format!("--{key} {value}"),
        };
        Relay {
            options: options.iter().map(change).collect(),
            outage: outage.map(str::to_owned),
            seed: Some(7),
            ..Relay::default()
        }
    }

    fn emulated(options: &[(&str, &str)], outage: Option<&str>) -> Result<EmulatedLinks, String> {
        service(&request(options, outage)).map(|service| service.path).map_err(|problems| problems.render(false, 120))
    }

    #[test]
    fn every_quantity_is_taken_in_its_unit() {
        let options = [
            ("delay", "20 ms"),
            ("jitter", "500 us"),
            ("loss", "1 %"),
            ("duplication", "0.02"),
            ("reordering", "3 %"),
            ("reorder-delay", "40 ms"),
            ("rate", "10 Mbit/s"),
            ("queue", "30 kB"),
        ];
        let second = |count| Time::ZERO + Duration::from_secs(count);
        let link = Link {
            is_up: true,
            delay: Duration::from_millis(20),
            jitter: Duration::from_micros(500),
            loss: 0.01,
            rate: Some(10_000_000),
        };
        let expected = Impairment {
            link,
            changes: vec![(second(10), Link { is_up: false, ..link }), (second(15), link)],
            duplication: 0.02,
            reordering: 0.03,
            reorder_delay: Duration::from_millis(40),
            trace: None,
            queue: 30_000,
            overhead: 0,
        };
        let found = emulated(&options, Some("10 s:15 s")).unwrap();
        assert_eq!((found.forward, found.reverse, found.seed), (expected.clone(), expected, 7));
    }

    #[test]
    fn options_that_are_not_given_are_those_of_an_unimpaired_path() {
        let found = emulated(&[], None).unwrap();
        assert_eq!((found.forward, found.reverse), (Impairment::default(), Impairment::default()));
    }

    #[test]
    fn one_direction_may_be_impaired_alone() {
        let losses = |word| {
            emulated(&[("direction", word), ("loss", "5 %")], None)
                .map(|path| (path.forward.link.loss, path.reverse.link.loss))
        };
        assert_eq!(losses("forward"), Ok((0.05, 0.0)));
        assert_eq!(losses("reverse"), Ok((0.0, 0.05)));
        assert!(losses("revers").unwrap_err().contains("did you mean \"reverse\"?"));
    }

    #[test]
    fn a_trace_is_read_from_its_file_and_counts_headers_as_it_was_recorded() {
        let folder = crate::testing::folder("emulator-trace");
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let (cell, steps) = (file("cell.down", "1\n4\n"), file("steps.csv", "time,rate\n0,1e6\n9,2e6\n"));
        let found = |path: &str| emulated(&[("rate-trace", path), ("queue", "30 kB")], None).map(|path| path.forward);
        let cell = found(&cell).unwrap();
        assert_eq!((cell.trace.unwrap().mean_rate(), cell.overhead), (2 * 1504 * 8 * 250, 32));
        let steps = found(&steps).unwrap();
        assert_eq!((steps.trace.unwrap().mean_rate(), steps.overhead), (2_000_000, 0));
        let wrong = found(&file("wrong", "3\n2\n")).unwrap_err();
        assert!(wrong.contains("2 is before the 3 of the line above") && wrong.contains("wrong:2:1"), "{wrong}");
    }

    #[test]
    fn a_rate_and_a_trace_exclude_each_other() {
        let path = crate::testing::folder("emulator-rate-and-trace").join("cell");
        std::fs::write(&path, "1\n").unwrap();
        let options = [("rate", "1 Mbit/s"), ("rate-trace", path.to_str().unwrap())];
        assert!(emulated(&options, None).unwrap_err().contains("--rate does not go with --rate-trace"));
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let options = [("delay", "2 min"), ("loss", "101 %"), ("rate", "10 bit/s")];
        let text = emulated(&options, Some("5 s:5 s")).unwrap_err();
        for mistake in ["`delay` is 2 min", "`loss` is 101 %", "`rate` is 10 bit/s", "`5 s:5 s` ends before it begins"]
        {
            assert!(text.contains(mistake), "{mistake} is missing in\n{text}");
        }
        assert!(
            emulated(&[("reorder-delay", "5 ms")], None).unwrap_err().contains("has no effect without --reordering")
        );
    }
}
