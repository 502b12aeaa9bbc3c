//! An adapter that can be simulated any number of times.

use sojourn_core::{Duration, Time};
use sojourn_engine::{Queue, run};
use sojourn_metrics::record::Record;

use super::report;
use super::settings::{Gaps, Pace, Settings, Shape};
use super::world::Adapter;
use crate::{Model, Replication};

impl Model for Settings {
    fn replicate(&self, mut replication: Replication<'_>) -> Record {
        let Pace::Sustainable(share) = self.traffic.pace else { return self.observe(&replication).1 };
        // what the same point carries when saturated says at which even intervals frames come
        let traces = std::mem::take(&mut replication.traces);
        let (carried, _) = self.paced(Pace::Saturating).observe(&replication);
        replication.traces = traces;
        self.paced(self.sustained(carried * share)).observe(&replication).1
    }
}

impl Settings {
    fn paced(&self, pace: Pace) -> Settings {
        let mut settings = self.clone();
        settings.traffic.pace = pace;
        settings
    }

    /// Frames at even intervals, so many a second.
    fn sustained(&self, rate: f64) -> Pace {
        let mean = self.traffic.sizes.mean() + f64::from(self.ring.overhead);
        let lasts = super::settings::BYTE_TIME.seconds() * mean;
        let Some(mean) = Duration::from_seconds((1.0 / rate - lasts).max(0.0)) else { return Pace::Silent };
        Pace::Gaps(Gaps { burst: 1, mean, shape: Shape::Constant })
    }

    /// One run: frames a second that were through, and what was observed.
    fn observe(&self, replication: &Replication<'_>) -> (f64, Record) {
        let mut adapter = Adapter::new(self, replication);
        let mut events = Queue::new();
        adapter.begin(&mut events);
        let end = Time::ZERO + replication.warm_up + replication.duration;
        run(&mut adapter, &mut events, end, replication.cancelled);
        let measures = &adapter.measures;
        let rate = measures.to_host.rates(replication.duration).0 + measures.to_ring.rates(replication.duration).0;
        (rate, report::record(adapter, end))
    }
}
