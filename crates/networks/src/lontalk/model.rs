//! A site that can be simulated any number of times.

use sojourn_core::{Streams, Time};
use sojourn_engine::{Queue, run};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;

use super::installation::{Plan, PlanError};
use super::metrics::Measure;
use super::site::Site;
use super::world::{Event, Simulation};
use crate::{Model, Replication};

/// A site with its plan.
#[derive(Debug)]
pub struct LonTalk {
    site: Site,
    plan: Plan,
}

impl LonTalk {
    /// Works a site out.
    pub fn new(site: Site) -> Result<Self, PlanError> {
        let plan = Plan::new(&site)?;
        Ok(LonTalk { site, plan })
    }
}

impl Model for LonTalk {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let Replication { seed, index, warm_up, duration, traces, capture, cancelled } = replication;
        let warmed_up = Time::ZERO + warm_up;
        let end = warmed_up + duration;
        let mut events = Queue::new();
        let measure = Measure::new(&self.site, warmed_up, traces);
        let streams = Streams::new(seed, index);
        let mut simulation = Simulation::new(&self.site, &self.plan, streams, measure, &mut events);
        simulation.capture_to(capture);
        events.at(warmed_up, Event::WarmedUp);
        run(&mut simulation, &mut events, end, cancelled);
        simulation.finish(end)
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::RawIp)
    }
}
