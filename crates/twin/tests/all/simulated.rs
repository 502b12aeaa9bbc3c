//! A replication of a scenario, captured as it runs: what it measured, what an analysis of the capture finds, and its twin.

use sojourn_capture::{Event, LinkType, Outcome, Packet, Sent, Sink, Trackers, Transaction};
use sojourn_core::random::Stream;
use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::Record;
use sojourn_model::Replication;
use sojourn_scenario::{Problems, WarmUp, check};
use sojourn_twin::behaviour::{Behaviour, BusTraffic};
use sojourn_twin::trial::{Tried, choose};
use sojourn_twin::{NoTwin, Options, Survey, Trace, Twin};

/// Stamps of simulations, and of captures in files.
pub const EXACT: Duration = Duration::from_picoseconds(1);
pub const NANOSECOND: Duration = Duration::from_nanos(1);

/// Follows the frames of a replication as they are captured.
struct Analysis {
    link_type: LinkType,
    tracker: Trackers,
    survey: Survey,
    out: Sink,
    packets: u64,
    resolution: Duration,
    last: Time,
    /// End of the warm-up, and events until then.
    begin: Time,
    events_before: usize,
    point: Point,
}

/// Where and when a simulation is captured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Point {
    /// Where packets arrive.
    Arrival,
    /// There, and the survey begins behind the warm-up.
    Running,
    /// Beside the clients.
    Clients,
}

impl FrameSink for Analysis {
    fn is_beside_clients(&self) -> bool {
        self.point == Point::Clients
    }

    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.packets += 1;
        if at < self.begin {
            self.events_before = self.out.log().len();
        }
        let step = self.resolution.picoseconds();
        self.last = Time::from_picoseconds(at.picoseconds() / step * step);
        let packet = Packet::whole(self.packets, self.last, self.link_type, bytes);
        self.tracker.packet(&packet, &mut self.out);
        if self.point != Point::Running || at >= self.begin {
            self.survey.packet(&packet);
        }
    }
}

/// What a simulation measured, and what its capture shows.
pub struct Captured {
    pub record: Record,
    pub out: Sink,
    pub survey: Survey,
    /// The last packet.
    pub last: Time,
    /// End of the warm-up, and events before it.
    pub begin: Time,
    pub events_before: usize,
}

impl Captured {
    /// Simulates a scenario once, with a capture whose stamps have this resolution.
    pub fn of(text: &str, seed: u64, resolution: Duration) -> Captured {
        Captured::run(text, &[], seed, (resolution, Point::Arrival))
    }

    /// The same, with a twin of what was captured after the warm-up.
    pub fn of_running(text: &str, seed: u64, resolution: Duration) -> Captured {
        Captured::run(text, &[], seed, (resolution, Point::Running))
    }

    /// The same as captured at one point, beside the clients.
    pub fn of_clients(text: &str, traces: &[Trace], seed: u64, resolution: Duration) -> Captured {
        Captured::run(text, traces, seed, (resolution, Point::Clients))
    }

    /// The same as [`Captured::of`], of a twin with its traces.
    pub fn of_twin(twin: &Twin, seed: u64, resolution: Duration) -> Captured {
        Captured::run(&twin.scenario, &twin.traces, seed, (resolution, Point::Arrival))
    }

    fn run(text: &str, traces: &[Trace], seed: u64, (resolution, point): (Duration, Point)) -> Captured {
        let render = |problems: Problems| -> ! { panic!("{text}\n{}", problems.render(false, 100)) };
        let files = traces.iter().map(|trace| (trace.file.clone(), trace.text.clone())).collect();
        let kinds = sojourn_catalogue::NETWORKS.kinds();
        let document = kinds.parse_with("site.toml", text, files).unwrap_or_else(|problems| render(problems));
        let scenario = check(&document).unwrap_or_else(|problems| render(problems));
        let network = sojourn_catalogue::NETWORKS.find(scenario.kind).expect("a registered network");
        let model = network.model(&scenario).unwrap_or_else(|problems| render(problems));
        let run = scenario.run();
        let WarmUp::Fixed(warm_up) = run.warm_up else { panic!("a warm-up of a set time") };
        let mut analysis = Analysis {
            link_type: LinkType(model.link_type().expect("a network with frames") as u32),
            tracker: Trackers::default(),
            survey: Survey::default(),
            out: Sink::with_log(),
            packets: 0,
            resolution,
            last: Time::ZERO,
            begin: Time::ZERO + warm_up,
            events_before: 0,
            point,
        };
        let replication = Replication { seed, warm_up, traces: true, ..Replication::alone(run.duration) };
        let record = model.replicate(Replication { capture: Some(&mut analysis), ..replication });
        let Analysis { mut tracker, mut survey, mut out, last, begin, events_before, .. } = analysis;
        if point != Point::Clients {
            survey.is_captured_on_arrival();
        }
        tracker.finish(last, &mut out);
        assert!(out.malformed_packets().is_empty(), "{:?}", out.malformed_packets());
        Captured { record, out, survey, last, begin, events_before }
    }

    /// The transactions of the flows whose members start with `prefix`, in the order of their events.
    pub fn transactions_of(&self, prefix: &str) -> Vec<Transaction> {
        let flows = self.out.flows();
        let of_flow = |found: &Transaction| {
            prefix.is_empty() || flows.key(found.flow).is_some_and(|key| key.member().starts_with(prefix))
        };
        let found = |event: &Event| match event {
            Event::Transaction(found) if of_flow(found) => Some(*found),
            _ => None,
        };
        self.out.log().iter().filter_map(found).collect()
    }

    /// The same, of those that were answered each up to the last packet of its answer.
    pub fn completed_of(&self, prefix: &str) -> Vec<Transaction> {
        let mut found = self.transactions_of(prefix);
        for transaction in found.iter_mut().filter(|found| found.outcome == Outcome::Answered) {
            let (flow, begin) = (transaction.flow, transaction.begin);
            let complete = self.out.log().iter().find_map(|event| match event {
                Event::Complete(of, time, span) if *of == flow && time.since(begin) == *span => Some(*time),
                _ => None,
            });
            transaction.end = complete.or(transaction.end);
        }
        found
    }

    /// Response times of the answered transactions of flows whose members start with `prefix`, ascending, s.
    pub fn responses(&self, prefix: &str) -> Vec<f64> {
        times(self.transactions_of(prefix))
    }

    /// The same up to the last packet of each answer.
    pub fn completions(&self, prefix: &str) -> Vec<f64> {
        times(self.completed_of(prefix))
    }

    /// Packets sent forward by the flows whose members start with `prefix`.
    pub fn packets_of(&self, prefix: &str) -> usize {
        let flows = self.out.flows();
        let is_sent = |event: &&Event| match event {
            Event::Sent(Sent { flow, forward: true, .. }) => {
                flows.key(*flow).is_some_and(|key| key.member().starts_with(prefix))
            }
            _ => false,
        };
        self.out.log().iter().filter(is_sent).count()
    }

    /// What it was like.
    pub fn behaviour(&self) -> Behaviour {
        let whole = self.out.whole();
        let responses = whole.response.distribution.clone().expect("all samples");
        let (seconds, transfers) = (self.last.seconds(), self.survey.transfers());
        let buses = BusTraffic::of(self.out.can_buses(), seconds);
        Behaviour { responses, seconds, transfers, calls: Vec::new(), buses }
    }

    /// The twin that comes closest of those that the capture allows.
    pub fn closest_twin(mut self) -> Result<Tried, NoTwin> {
        let options = Options { name: "twin".to_owned(), ..Options::default() };
        let readings = self.survey.readings(&options)?;
        let simulate = |twin: &Twin, seed| Some(Captured::of(&twin.scenario, seed, NANOSECOND).behaviour());
        Ok(choose(readings, &self.behaviour(), simulate))
    }

    /// The twin.
    pub fn twin(self) -> Result<Twin, NoTwin> {
        self.survey.twin(&Options { name: "twin".to_owned(), ..Options::default() })
    }
}

/// One of several values.
pub fn pick<'a>(draws: &mut Stream, choices: &[&'a str]) -> &'a str {
    choices[draws.below(choices.len() as u32) as usize]
}

/// From begin to end of those that have one, ascending, s.
fn times(transactions: Vec<Transaction>) -> Vec<f64> {
    let time = |found: Transaction| found.end.map(|end| end.since(found.begin).seconds());
    let mut times: Vec<f64> = transactions.into_iter().filter_map(time).collect();
    times.sort_by(f64::total_cmp);
    times
}
