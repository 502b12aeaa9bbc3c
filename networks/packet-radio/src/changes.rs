//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_core::{Streams, Time};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::timeline::LevelWindows;

use super::round_trip::Observed;
use super::site::Site;
use sojourn_model::effect::{Effect, Timeline};
use sojourn_model::timed::Timed;

/// What events have changed, and what they do to round trips.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    /// The events.
    pub timed: Timed<'a, Effect>,
    /// By station, whether it is off.
    pub off: Vec<bool>,
    /// Random streams of stations that reset.
    pub streams: Streams,
    /// The share of media that are busy.
    busy: LevelWindows,
    /// By medium, whether it is.
    is_busy: Vec<bool>,
}

impl<'a> Changes<'a> {
    /// Nothing has happened yet; observed from `from` to `to`.
    pub fn new(site: &Site, timeline: &'a Timeline, streams: &Streams, [from, to]: [Time; 2]) -> Self {
        let timed = Timed::new(&timeline.plan, streams, from, to);
        let busy = LevelWindows::new(timed.edges());
        Changes {
            timed,
            off: vec![false; site.stations.len()],
            streams: *streams,
            busy,
            is_busy: vec![false; site.media.len()],
        }
    }

    /// Goes on as the scenario of this number.
    pub fn branch(&mut self, number: usize) {
        self.timed.branch(number);
        self.busy.set_edges(self.timed.edges());
    }

    /// Whether a medium is busy now.
    pub fn busy(&mut self, now: Time, medium: u32, is_busy: bool) {
        if std::mem::replace(&mut self.is_busy[medium as usize], is_busy) != is_busy {
            let count = self.is_busy.iter().filter(|busy| **busy).count();
            self.busy.set(now, count as f64 / self.is_busy.len() as f64);
        }
    }

    /// Takes the round trips that began or ended.
    pub fn observe(&mut self, observed: impl Iterator<Item = Observed>) {
        for one in observed {
            match one {
                Observed::Sent(at) => self.timed.sent(at),
                Observed::Ended(sent, response) => self.timed.ended(sent, response),
            }
        }
    }

    /// Adds what was observed to a record.
    pub fn finish(self, end: Time, record: &mut Record) {
        self.timed.finish(record);
        record.observe("utilisation/timeline", Observation::Timeline(self.busy.finish(end)));
    }
}
