//! A site that can be simulated any number of times.

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::{Queue, run};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;

use super::capture::Tap;
use super::measure::Measure;
use super::report::{self, Run};
use super::routes::Routes;
use super::simulation::{Event, Mode, Simulation};
use super::site::Site;
use crate::{Model, Replication};

/// A site with its routes.
#[derive(Debug)]
pub struct Fddi {
    site: Site,
    routes: Routes,
}

impl Fddi {
    /// Works a site out.
    pub fn new(site: Site) -> Self {
        let routes = Routes::new(&site);
        Fddi { site, routes }
    }

    /// The runs of a replication, each with the time it may observe.
    fn runs(&self, duration: Duration) -> Vec<(Mode, Duration)> {
        let Some(probe) = &self.site.probe else { return vec![(Mode::Steady, duration)] };
        let mut runs = Vec::new();
        if probe.exchanges > 0 && !probe.one_way {
            runs.push((Mode::Exchange, duration));
        }
        if probe.transfer > 0 {
            runs.push((Mode::Stream, duration));
        }
        if probe.paced > Duration::ZERO {
            runs.push((Mode::Paced, probe.paced.min(duration)));
        }
        runs
    }
}

impl Model for Fddi {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let Replication { seed, index, warm_up, duration, traces, mut capture, cancelled } = replication;
        let streams = Streams::new(seed, index);
        let mut done = Vec::new();
        for (mode, observed) in self.runs(duration) {
            let from = Time::ZERO + warm_up;
            let mut events = Queue::new();
            let measure = Measure::new(self.site.flows.len(), from, traces);
            // a capture shows the first run
            let tap = capture.take().map(|sink| Tap::new(sink, self.site.decodable_capture));
            let mut simulation = Simulation::new(&self.site, &self.routes, mode, &streams, measure, tap, &mut events);
            events.at(from, Event::WarmedUp);
            let end = run(&mut simulation, &mut events, from + observed, cancelled);
            done.push(Run::of(mode, simulation, end));
        }
        report::record(&self.site, done, traces)
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::Fddi)
    }
}
