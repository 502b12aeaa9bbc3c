//! A replication of a scenario, and its frames as they are captured.

use sojourn_capture::twin::{Options, Survey, Twin};
use sojourn_capture::{Ax25, Event, LinkType, Packet, Sink, Tracker, Transaction};
use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::Record;
use sojourn_networks::Replication;
use sojourn_scenario::{Document, Problems, WarmUp, check};

/// Follows the frames of a replication as they are captured; a file has their stamps in nanoseconds.
#[derive(Default)]
struct Analysis {
    tracker: Ax25,
    survey: Survey,
    out: Sink,
    number: u64,
    last: Time,
    /// End of the warm-up, and events until then.
    begin: Time,
    events_before: usize,
}

impl FrameSink for Analysis {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.number += 1;
        if at < self.begin {
            self.events_before = self.out.log().len();
        }
        self.last = Time::from_picoseconds(at.picoseconds() / 1000 * 1000);
        let packet = Packet::whole(self.number, self.last, LinkType::AX25_KISS, bytes);
        self.tracker.packet(&packet, &mut self.out);
        self.survey.packet(&packet);
    }
}

/// What a simulation measured, and what its capture shows.
pub struct Captured {
    pub record: Record,
    pub out: Sink,
    pub survey: Survey,
    /// End of the warm-up, and events before it.
    pub begin: Time,
    pub events_before: usize,
}

impl Captured {
    /// Simulates a scenario once.
    pub fn of(text: &str, seed: u64) -> Captured {
        let render = |problems: Problems| -> ! { panic!("{text}\n{}", problems.render(false, 100)) };
        let document = Document::parse("site.toml", text).unwrap_or_else(|problems| render(problems));
        let scenario = check(&document).unwrap_or_else(|problems| render(problems));
        let network = sojourn_networks::find(scenario.kind).expect("a registered network");
        let model = network.model(&scenario).unwrap_or_else(|problems| render(problems));
        let mut analysis = Analysis { out: Sink::with_log(), ..Analysis::default() };
        let run = scenario.run();
        let WarmUp::Fixed(warm_up) = run.warm_up else { panic!("a warm-up of a set time") };
        analysis.begin = Time::ZERO + warm_up;
        let replication = Replication { seed, warm_up, traces: true, ..Replication::alone(run.duration) };
        let record = model.replicate(Replication { capture: Some(&mut analysis), ..replication });
        let Analysis { mut tracker, survey, mut out, last, begin, events_before, .. } = analysis;
        tracker.finish(last, &mut out);
        Captured { record, out, survey, begin, events_before }
    }

    /// The transactions of a flow: `ax25`, `net-rom` or `rose` from one callsign to another.
    pub fn transactions(&self, member: &str) -> Vec<Transaction> {
        let flows = self.out.flows();
        let of_flow = |found: &Transaction| flows.key(found.flow).is_some_and(|key| key.member() == member);
        let found = |event: &Event| match event {
            Event::Transaction(found) if of_flow(found) => Some(*found),
            _ => None,
        };
        self.out.log().iter().filter_map(found).collect()
    }

    /// The twin.
    pub fn twin(self) -> Twin {
        self.survey.twin(&Options { anonymise: false, name: "twin".to_owned(), bit_rate: None }).expect("frames")
    }
}
