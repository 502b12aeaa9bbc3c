//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::muted::Muted;

use super::site::Site;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Sources that are silent, and when the next round or request of the others is due.
    pub sources: Muted,
    /// By station, whether it is off.
    pub off: Vec<bool>,
    /// By medium, whether it is down.
    pub down: Vec<bool>,
    /// The share of lines that are busy.
    pub busy: LevelWindows,
    busy_lines: u32,
    lines: u32,
}

impl Changes {
    /// Nothing has happened yet.
    pub fn new(site: &Site, busy: LevelWindows) -> Self {
        Changes {
            sources: Muted::new(site.sources.len()),
            off: vec![false; site.stations.len()],
            down: vec![false; site.media.len()],
            busy,
            busy_lines: 0,
            lines: site.lines().count() as u32,
        }
    }

    /// A line has become busy, or silent.
    pub fn busy(&mut self, now: Time, is_busy: bool) {
        self.busy_lines = if is_busy { self.busy_lines + 1 } else { self.busy_lines - 1 };
        self.busy.set(now, f64::from(self.busy_lines) / f64::from(self.lines));
    }
}
