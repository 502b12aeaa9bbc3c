//! Queueing stations: open flows with an envelope through servers with constant service times, first come, first served.

use crate::scenario::{FlowSettings, Settings, Source, StationSettings};
use sojourn_core::Duration;
use sojourn_engine::law::{Law, Shape};
use sojourn_scenario::{Problems, Scenario};

use sojourn_bounds::envelope;
use sojourn_bounds::network::{Analysis, Flow, Limit, Server, Visit, analyse};
use sojourn_bounds::report::{END_TO_END, Report, SUM_OF_HOPS, Theorem, Worst};

const FIFO: Theorem = Theorem {
    name: "envelopes through a rate-latency server, in order of arrival",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorems 1.4.1 and 1.4.2",
};

/// The bounds of a scenario of kind `queue`.
pub fn bounds(scenario: &Scenario) -> Result<Report, Problems> {
    let settings = Settings::of(scenario)?;
    let mut report = Report::default();
    report.assume(
        "envelope of a flow: what its arrivals declare (period and jitter, groups with a gap, a closed population)",
    );
    let mut reasons: Vec<Option<String>> = settings.stations.iter().map(|station| unserved(station).err()).collect();
    let flows: Vec<Flow> = settings.flows.iter().map(|flow| limited(flow, &settings, &mut reasons)).collect();
    let servers: Vec<Server> = settings.stations.iter().map(server).collect();
    let analysis = analyse(&servers, &flows);
    let found = Found { settings: &settings, analysis, flows, reasons };
    found.flows(&mut report);
    found.stations(&mut report);
    Ok(report)
}

/// Why a station's service has no bound.
fn unserved(station: &StationSettings) -> Result<Duration, String> {
    match &station.service {
        Law { shape: Shape::Constant, mean } => Ok(*mean),
        Law { shape: Shape::Empirical(_), .. } => {
            Err(format!("{} serves for times drawn from measured ones, and bounds are of constant times", station.name))
        }
        Law { shape, .. } => Err(format!("{} serves for {} times, which have no largest", station.name, shape.word())),
    }
}

/// Several servers that share a queue work off as much as one that is as fast as all, but for the last customer.
fn server(station: &StationSettings) -> Server {
    let time = unserved(station).unwrap_or_default();
    let servers = station.servers as u64;
    Server { latency: time - time.divided(servers), room: station.capacity, ..Server::default() }
}

/// A flow with its limit; where it has none its stations have no bound.
fn limited(flow: &FlowSettings, settings: &Settings, reasons: &mut [Option<String>]) -> Flow {
    let limit = match &flow.source {
        Source::Open { process, .. } => envelope::of_arrivals(process.arrivals()).map(Limit::Envelope),
        Source::Closed { population, .. } => Ok(Limit::Window(u64::from(*population))),
    };
    let limit = limit.unwrap_or_else(|why| {
        for &station in &flow.path {
            reasons[station].get_or_insert_with(|| format!("{}: {why}", flow.name));
        }
        Limit::None
    });
    let visit = |&station: &usize| {
        let declared = &settings.stations[station];
        let time = unserved(declared).unwrap_or_default();
        let one = declared.servers == 1;
        Visit {
            server: station,
            cost: if one { time } else { time.divided(declared.servers as u64) + Duration::from_picoseconds(1) },
            least: time,
            spacing: if one { time } else { Duration::ZERO },
            ..Visit::default()
        }
    };
    Flow { limit, returns: None, path: flow.path.iter().map(visit).collect() }
}

struct Found<'a> {
    settings: &'a Settings,
    analysis: Analysis,
    flows: Vec<Flow>,
    /// By station why it has no bound.
    reasons: Vec<Option<String>>,
}

impl Found<'_> {
    fn flows(&self, report: &mut Report) {
        let several = self.settings.flows.len() > 1;
        let mut longest = Ok(Duration::ZERO);
        for (settings, flow) in self.settings.flows.iter().zip(&self.flows) {
            let bound = self.path(settings, flow);
            let metric = if several { format!("response_time/{}", settings.name) } else { "response_time".to_owned() };
            report.row(
                &settings.name,
                END_TO_END,
                Some(&metric),
                bound.clone().map(|bound| (Worst::Delay(bound), SUM_OF_HOPS)),
            );
            for &station in &settings.path {
                let delay = self.station(station, self.analysis.delays[station]);
                let name = &self.settings.stations[station].name;
                report.row(&settings.name, name, None, delay.map(|delay| (Worst::Delay(delay), FIFO)));
            }
            if settings.probe {
                longest = longest.and_then(|longest: Duration| bound.map(|bound| longest.max(bound)));
            }
        }
        if several {
            let bounded = longest.map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
            report.row("all probed flows", END_TO_END, Some("response_time"), bounded);
        }
    }

    fn stations(&self, report: &mut Report) {
        for (station, settings) in self.settings.stations.iter().enumerate() {
            let bounded = self.station(station, self.analysis.backlogs[station]);
            let metric = format!("queue_length/{}", settings.name);
            report.row("all flows", &settings.name, Some(&metric), bounded.map(|most| (Worst::Backlog(most), FIFO)));
        }
    }

    fn path(&self, settings: &FlowSettings, flow: &Flow) -> Result<Duration, String> {
        for &station in &settings.path {
            self.station(station, self.analysis.delays[station])?;
        }
        self.analysis.end_to_end(flow).ok_or_else(|| "more arrives than is served".to_owned())
    }

    /// What is known of a station, or why nothing is.
    fn station<T>(&self, station: usize, known: Option<T>) -> Result<T, String> {
        let unserved = unserved(&self.settings.stations[station]);
        let why = || self.reasons[station].clone();
        match known {
            Some(known) if unserved.is_ok() => Ok(known),
            _ => Err(why().unwrap_or_else(|| {
                let name = &self.settings.stations[station].name;
                format!("{name} is not faster than what may arrive, or lies behind a station without a bound")
            })),
        }
    }
}
