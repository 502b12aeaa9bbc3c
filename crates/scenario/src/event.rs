//! `[[event]]` in full form: its schedule, its target and its action.

use sojourn_core::Duration;

use crate::keys::Key;
use crate::keys::event::Action;
use crate::source::Place;
use crate::table::Resolved;

/// Something that happens during a run.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What happens.
    pub action: &'static Action,
    /// When.
    pub schedule: Schedule,
    /// Members of stations that it affects, as [`Scenario::members`](crate::Scenario::members) numbers them.
    pub stations: Vec<usize>,
    /// Media that it affects, by their place in the list.
    pub media: Vec<usize>,
    /// Flows that it affects, by name.
    pub flows: Vec<String>,
    /// Messages of a burst.
    pub size: u64,
    /// Applications of a station that is powered up begin within this.
    pub spread: Duration,
    /// Keys that it changes.
    pub settings: Vec<Setting>,
}

/// When an event happens. Times count from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// At these times, ascending.
    At {
        /// When it begins.
        begins: Vec<Duration>,
        /// How long each lasts; none that has no end.
        lasts: Option<Duration>,
    },
    /// Again and again.
    Every {
        /// When it begins for the first time.
        first: Duration,
        /// From one to the next.
        period: Duration,
        /// How long each lasts; none that has no end.
        lasts: Option<Duration>,
    },
    /// At random, from the end of the warm-up on.
    Failures {
        /// Mean time from the end of one to the next.
        between: Duration,
        /// Mean time that each lasts.
        repair: Duration,
    },
}

/// A key that an event changes.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The table that has it.
    pub table: &'static str,
    /// Which of a list, by its place; all without.
    pub member: Option<usize>,
    /// The key in the table, and the one in its inline table.
    pub keys: (&'static Key, Option<&'static Key>),
    /// The value that it takes.
    pub value: Resolved,
    /// Where the value was written.
    pub place: Option<Place>,
}

impl Setting {
    /// The path of the key without a member, `service.mean`.
    pub fn key_path(&self) -> String {
        let (outer, inner) = self.keys;
        inner.map_or_else(|| outer.name.to_owned(), |inner| format!("{}.{}", outer.name, inner.name))
    }
}

impl Schedule {
    /// Its occurrences up to `end` as far as they are known before the run, and when each ends; at most `most`.
    pub fn known(&self, end: Duration, most: u64) -> Vec<(Duration, Option<Duration>)> {
        let limited = |begin: Duration, lasts: Option<Duration>| (begin, lasts.map(|lasts| sum(begin, lasts)));
        match self {
            Schedule::At { begins, lasts } => {
                begins.iter().filter(|begin| **begin < end).map(|begin| limited(*begin, *lasts)).collect()
            }
            Schedule::Every { first, period, lasts } => {
                let times = (0..most).map(|number| sum(*first, period.times(number)));
                times.take_while(|begin| *begin < end).map(|begin| limited(begin, *lasts)).collect()
            }
            Schedule::Failures { .. } => Vec::new(),
        }
    }
}

/// The sum of two times within the clock's range, which its declarations keep.
pub(crate) fn sum(one: Duration, other: Duration) -> Duration {
    Duration::from_picoseconds(one.picoseconds().saturating_add(other.picoseconds()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_periodic_schedule_has_its_occurrences_before_the_end_of_the_run() {
        let seconds = Duration::from_secs;
        let every = Schedule::Every { first: seconds(10), period: seconds(20), lasts: Some(seconds(5)) };
        let expected = [(10, 15), (30, 35), (50, 55)].map(|(from, to)| (seconds(from), Some(seconds(to))));
        assert_eq!(every.known(seconds(70), 100), expected);
    }
}
