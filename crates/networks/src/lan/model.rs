//! A LAN that can be simulated any number of times.

use sojourn_core::{Streams, Time};
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;

use super::capture::Tap;
use super::fabric::{Fabric, FabricSettings, Watch};
use super::metrics::{self, Metrics};
use super::site::Site;
use super::world::Lan;
use crate::{Model, Replication};

/// Hosts, and the network between them.
#[derive(Clone, Debug)]
pub struct LanModel<S> {
    /// The hosts and what they do.
    pub site: Site,
    /// The network between them.
    pub fabric: S,
}

impl<S: FabricSettings> Model for LanModel<S> {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let Replication { seed, index, warm_up, duration, traces, capture, cancelled } = replication;
        let streams = Streams::new(seed, index);
        let site = &self.site;
        let mut fabric = self.fabric.fabric(&site.topology, &streams);
        let from = Time::ZERO + warm_up;
        // levels look alike in all replications
        let pictured = traces && index == 0;
        fabric.watch(&Watch {
            mean_from: from,
            queue_trace: site.watched_port().filter(|_| pictured),
            rate_trace: site.watched_connection().filter(|_| pictured),
            rm_cells: capture.is_some() && site.capture.shows_cells(),
        });
        let tap = capture.map(|sink| Tap::new(sink, site.capture));
        let metrics = Metrics::new(site.flows.len(), from, traces);
        let mut events = Queue::new();
        let mut lan = Lan::new(site, fabric, &streams, metrics, tap, from + duration, &mut events);
        let end = observe(&mut lan, &mut events, from, from + duration, cancelled);
        metrics::record(lan, end)
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(self.site.capture.link_type())
    }
}
