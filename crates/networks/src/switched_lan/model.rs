//! A site that can be simulated any number of times.

use sojourn_core::{Streams, Time};
use sojourn_engine::{Queue, run};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;

use super::capture::Tap;
use super::cells::Cells;
use super::fabric::{Fabric, Watch};
use super::measure::Measure;
use super::packets::Packets;
use super::report;
use super::site::{FabricSite, Site};
use super::world::Lan;
use crate::{Model, Replication};

impl Model for Site {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let streams = Streams::new(replication.seed, replication.index);
        match &self.fabric {
            FabricSite::Cells(settings) => {
                self.observe(Cells::new(&self.topology, settings, &streams), &streams, replication)
            }
            FabricSite::Packets(settings) => {
                self.observe(Packets::new(&self.topology, settings, &streams), &streams, replication)
            }
        }
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(self.capture.link_type())
    }
}

impl Site {
    /// One run on a fabric.
    fn observe<F: Fabric>(&self, mut fabric: F, streams: &Streams, replication: Replication<'_>) -> Record {
        let Replication { index, warm_up, duration, traces, capture, cancelled, .. } = replication;
        let from = Time::ZERO + warm_up;
        // levels look alike in all replications
        let pictured = traces && index == 0;
        fabric.watch(&Watch {
            mean_from: from,
            queue_trace: self.watched_port().filter(|_| pictured),
            rate_trace: self.watched_connection().filter(|_| pictured),
            rate_cells: capture.is_some() && self.capture.shows_cells(),
        });
        let tap = capture.map(|sink| Tap::new(sink, self.capture));
        let measure = Measure::new(self.flows.len(), from, traces);
        let mut events = Queue::new();
        let mut lan = Lan::new(self, fabric, streams, measure, tap, from + duration, &mut events);
        let end = run(&mut lan, &mut events, from + duration, cancelled);
        report::record(lan, end)
    }
}
