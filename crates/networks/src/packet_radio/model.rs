//! A site that can be simulated any number of times.

use sojourn_core::{Streams, Time};
use sojourn_engine::{Queue, run};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;

use super::capture::Tap;
use super::metrics::Measure;
use super::report;
use super::round_trip::Account;
use super::site::Site;
use super::world::{Event, Simulation};
use crate::{Model, Replication};

/// A site.
#[derive(Debug)]
pub struct PacketRadio {
    site: Site,
    flows: usize,
}

impl PacketRadio {
    /// Of a site.
    pub fn new(site: Site) -> Self {
        let flows = site.senders.last().map_or(0, |sender| sender.number as usize + 1);
        PacketRadio { site, flows }
    }
}

impl Model for PacketRadio {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let Replication { seed, index, warm_up, duration, traces, capture, cancelled } = replication;
        let from = Time::ZERO + warm_up;
        let round_trips = self.site.probe.as_ref().map_or(0, |probe| probe.round_trips);
        let account = Account::new(round_trips, traces);
        let measure = Measure::new(self.flows, from);
        let streams = Streams::new(seed, index);
        let mut events = Queue::new();
        let mut simulation = Simulation::new(&self.site, &streams, account, measure, capture.map(Tap::new));
        simulation.start(&mut events);
        events.at(from, Event::WarmedUp);
        let end = run(&mut simulation, &mut events, from + duration, cancelled);
        report::record(simulation, end)
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::Ax25Kiss)
    }
}
