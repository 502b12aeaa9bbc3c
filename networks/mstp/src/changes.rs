//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_core::{Duration, Time};
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::muted::Muted;

use super::site::{MediumKind, Site};

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Sources that are silent, and what is due of the others.
    pub sources: Muted,
    /// By medium.
    pub lines: Vec<Medium>,
    /// The share of trunks that are busy.
    pub busy: LevelWindows,
    sending: u32,
    trunks: u32,
}

/// What events have changed of a medium.
#[derive(Clone, Copy, Debug)]
pub struct Medium {
    /// Whether it carries packets; a trunk knows by itself.
    pub is_up: bool,
    /// Of an IP network, the delay.
    pub delay: Duration,
}

impl Changes {
    /// Nothing has happened yet.
    pub fn new(site: &Site, sources: usize, busy: LevelWindows) -> Self {
        let medium = |medium: &super::site::Medium| match medium.kind {
            MediumKind::Ip { delay, .. } => Medium { is_up: true, delay },
            MediumKind::Trunk(_) => Medium { is_up: true, delay: Duration::ZERO },
        };
        let trunks = site.media.iter().filter(|medium| matches!(medium.kind, MediumKind::Trunk(_))).count() as u32;
        Changes {
            sources: Muted::new(sources),
            lines: site.media.iter().map(medium).collect(),
            busy,
            sending: 0,
            trunks,
        }
    }

    /// A frame has begun, or ended.
    pub fn busy(&mut self, now: Time, begins: bool) {
        self.sending = if begins { self.sending + 1 } else { self.sending - 1 };
        self.busy.set(now, f64::from(self.sending.min(self.trunks)) / f64::from(self.trunks.max(1)));
    }
}
