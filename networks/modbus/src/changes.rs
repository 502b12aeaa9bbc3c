//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;

use super::site::Site;

/// Why a source is silent: its station is off.
pub(super) const OFF: u8 = 1;
/// The source's flow is stopped.
pub(super) const STOPPED: u8 = 2;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// By source, why it is silent; 0 if it is not.
    pub silent: Vec<u8>,
    /// By source, when its next round or request is due. An event of the queue for another instant is void.
    pub due: Vec<Time>,
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
            silent: vec![0; site.sources.len()],
            due: vec![Time::NEVER; site.sources.len()],
            off: vec![false; site.stations.len()],
            down: vec![false; site.media.len()],
            busy,
            busy_lines: 0,
            lines: site.lines().count() as u32,
        }
    }

    /// A source's event is scheduled, in place of any before; whether it is obeyed.
    pub fn schedule(&mut self, at: Time, source: u32) -> bool {
        let is_heard = self.silent[source as usize] == 0;
        if is_heard {
            self.due[source as usize] = at;
        }
        is_heard
    }

    /// The event of a source is due; whether it is the one that was scheduled last.
    pub fn fires(&mut self, now: Time, source: u32) -> bool {
        let due = &mut self.due[source as usize];
        let is_valid = *due == now;
        if is_valid {
            *due = Time::NEVER;
        }
        is_valid
    }

    /// A line has become busy, or silent.
    pub fn busy(&mut self, now: Time, is_busy: bool) {
        self.busy_lines = if is_busy { self.busy_lines + 1 } else { self.busy_lines - 1 };
        self.busy.set(now, f64::from(self.busy_lines) / f64::from(self.lines));
    }
}
