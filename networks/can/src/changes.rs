//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::muted::Muted;

use crate::site::Site;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Sources that are silent, and when the next message of the others is due.
    pub sources: Muted,
    /// By station, whether it is off.
    pub off: Vec<bool>,
    /// The share of buses that are busy.
    pub busy: LevelWindows,
}

impl Changes {
    /// Nothing has happened yet.
    pub fn new(site: &Site, sources: usize, busy: LevelWindows) -> Self {
        Changes { sources: Muted::new(sources), off: vec![false; site.stations.len()], busy }
    }
}
