//! State changed by a scenario's events in a replication. A replication without events has none of this.

use std::collections::BTreeSet;

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::muted::Muted;

use super::site::Site;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Sources that are silent, and what is due of the others.
    pub sources: Muted,
    /// By medium.
    pub(super) lines: Vec<Line>,
    /// By station, whether it is off.
    pub off: Vec<bool>,
    /// Packets of stations that have lost power, whose event is pending.
    pub void_frames: BTreeSet<u32>,
    /// Messages that such stations were building.
    pub void_messages: BTreeSet<u32>,
    /// The packets that such stations were sending.
    pub cut: BTreeSet<u32>,
    /// The share of media that are busy.
    pub busy: LevelWindows,
    pub(super) busy_media: u32,
}

/// What is wrong with a medium.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) up: bool,
    /// The packet on it is damaged, whatever comes.
    pub(super) damaged: bool,
    pub(super) bit_error_rate: f64,
}

impl Line {
    /// Of a line that is down, no bit arrives for certain.
    pub(super) fn bit_error_rate(self) -> f64 {
        if self.up && !self.damaged { self.bit_error_rate } else { 1.0 }
    }
}

impl Changes {
    /// Nothing has happened yet.
    pub fn new(site: &Site, sources: usize, busy: LevelWindows) -> Self {
        let line = |rate: f64| Line { up: true, damaged: false, bit_error_rate: rate };
        Changes {
            sources: Muted::new(sources),
            lines: site.media.iter().map(|medium| line(medium.channel.bit_error_rate)).collect(),
            off: vec![false; site.stations.len()],
            void_frames: BTreeSet::new(),
            void_messages: BTreeSet::new(),
            cut: BTreeSet::new(),
            busy,
            busy_media: 0,
        }
    }

    /// A medium has become busy, or idle.
    pub fn busy(&mut self, now: Time, is_busy: bool) {
        self.busy_media = if is_busy { self.busy_media + 1 } else { self.busy_media - 1 };
        self.busy.set(now, f64::from(self.busy_media) / self.lines.len() as f64);
    }
}
