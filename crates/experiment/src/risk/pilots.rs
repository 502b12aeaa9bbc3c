//! The pilots: each has the levels that the one before has shown, until they show no more.

use sojourn_core::Duration;
use sojourn_engine::splitting::{Level, Tally};

use super::levels;

/// Replications of a pilot.
pub const REPLICATIONS: u32 = 8;
/// The first of them: beyond those of any estimate.
const FIRST: u32 = 1 << 30;
/// The first ones simulate this part of a replication each, later ones twice as much where they show no more: all
/// replications of a pilot together take as long as one of the estimate, so that placing levels is a small part of it.
const SHORTEST: u64 = REPLICATIONS as u64;
/// Pilots at most; a level that is not reached by then is left out.
const MOST: u32 = 24;
/// Replications of a pilot that saw the event: without levels crude runs are as good; with them no more are needed.
const OFTEN: usize = 4;

/// The pilots by now.
pub struct Pilots {
    /// Where paths are split.
    pub levels: Vec<Level>,
    /// How long the present one observes.
    pub duration: Duration,
    /// Seconds that all of them have simulated.
    pub simulated: f64,
    /// How long a replication of the estimate observes.
    whole: Duration,
    /// Number of the present one, from 1.
    number: u32,
}

impl Pilots {
    /// The first one; a replication of the estimate observes so long.
    pub fn new(whole: Duration) -> Pilots {
        let duration = whole.divided(SHORTEST).max(Duration::from_picoseconds(1));
        Pilots { levels: Vec::new(), duration, simulated: 0.0, whole, number: 1 }
    }

    /// What is being done.
    pub fn note(&self) -> String {
        format!("pilot {}: {} levels", self.number, self.levels.len())
    }

    /// Number of the first replication of the present one.
    pub fn first_replication(&self) -> u32 {
        FIRST + REPLICATIONS * self.number
    }

    /// Keeps what the present one has shown, no level of it above `most`; whether it was the last.
    pub fn ended(&mut self, tallies: &[Tally], most: u64) -> bool {
        self.simulated += tallies.iter().map(|tally| tally.simulated).sum::<f64>();
        let is_seen = tallies.iter().filter(|tally| tally.occurrences > 0.0).count() >= OFTEN;
        if self.levels.is_empty() && is_seen {
            return true;
        }
        let needed = levels::needed(&self.levels, tallies);
        if is_seen && needed < self.levels.len() {
            self.levels.truncate(needed);
            return true;
        }
        let placed = levels::place(tallies, most);
        let top = |levels: &[Level]| levels.last().map_or(0, |level| level.from);
        if top(&placed) > top(&self.levels) {
            self.levels = placed;
        } else if is_seen || self.duration == self.whole {
            return true;
        } else {
            self.duration = (self.duration + self.duration).min(self.whole);
        }
        self.number += 1;
        self.number > MOST
    }
}
