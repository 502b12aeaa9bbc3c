//! Control variates of queues: how many customers came beside how many come on average, and how long their services were.
//!
//! Both are drawn again from the streams of the replication after it has run, so that a run without them pays nothing. Arrivals
//! are those of Poisson flows in the observed time. Services are of as many customers as come to a station on average: a fixed
//! number of draws has a known mean, and the draws of a queue that is served in order are those of its run but for the last
//! few. Other times of service are left out, of which a truncated normal one has no exact mean, and flows of which the run itself decides how many come.

use std::collections::BTreeMap;

use sojourn_core::{Streams, Time};
use sojourn_engine::arrivals::Arrivals;
use sojourn_engine::law::{Law, Shape};

use super::scenario::{FlowSettings, Settings, Source};
use sojourn_model::Drawn;

impl Settings {
    /// The deviations of one replication: of arrivals by flow in customers, of service by station in seconds.
    pub(super) fn deviations(&self, drawn: Drawn) -> BTreeMap<String, f64> {
        let mut deviations = BTreeMap::new();
        if self.events.is_some() {
            return deviations;
        }
        for flow in &self.flows {
            if let Some(deviation) = arrivals(flow, drawn) {
                deviations.insert(format!("arrivals/{}", flow.name), deviation);
            }
        }
        for (number, station) in self.stations.iter().enumerate() {
            let Law { shape: Shape::Exponential, mean } = station.service else { continue };
            let visits: f64 = self.flows.iter().map(|flow| visits(flow, number)).sum();
            let [before, observed] = [drawn.warm_up, drawn.duration].map(|span| (visits * span.seconds()) as u64);
            if observed == 0 {
                continue;
            }
            let mut stream = station.stream(&streams(drawn));
            (0..before).for_each(|_| _ = station.service.draw(&mut stream));
            let served: u128 = (0..observed).map(|_| u128::from(station.service.draw(&mut stream).picoseconds())).sum();
            let expected = u128::from(mean.picoseconds()) * u128::from(observed);
            deviations.insert(format!("service/{}", station.name), (served as f64 - expected as f64) * 1e-12);
        }
        deviations
    }
}

/// Customers of a Poisson flow in the observed time, beside their mean number.
fn arrivals(flow: &FlowSettings, drawn: Drawn) -> Option<f64> {
    let Source::Open { process, begin } = &flow.source else { return None };
    let Arrivals::Poisson { mean_gap } = process.arrivals() else { return None };
    let (mut process, mut stream) = (process.clone(), streams(drawn).stream(&format!("flow/{}/arrivals", flow.name)));
    let from = (Time::ZERO + drawn.warm_up).max(*begin);
    let to = Time::ZERO + drawn.warm_up + drawn.duration;
    let (mut last, mut came) = (*begin, 0_u64);
    while let Some(next) = process.next(last, &mut stream).filter(|next| *next <= to) {
        came += u64::from(next > from);
        last = next;
    }
    Some(came as f64 - to.since(from).seconds() / mean_gap.seconds())
}

/// How often a second customers of an open flow come to a station, on average.
fn visits(flow: &FlowSettings, station: usize) -> f64 {
    let Source::Open { process, .. } = &flow.source else { return 0.0 };
    let times = flow.path.iter().filter(|visited| **visited == station).count();
    process.arrivals().rate().unwrap_or(0.0) * times as f64
}

fn streams(of: Drawn) -> Streams {
    Streams::new(of.seed, of.index)
}
