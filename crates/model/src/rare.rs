//! Rare events: the quantities of a running world that a condition can name, and the splitting of its replications.

use sojourn_core::Time;
use sojourn_engine::Queue;
use sojourn_engine::splitting::{self, Copied, Level, Splitting, Tally};

use crate::{Model, Replication};

/// A quantity that a running world has at every instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Its name in conditions: `queue_length`.
    pub name: &'static str,
    /// What it is of, where it has a value for each: `station`, in `queue_length/server`.
    pub of: Option<&'static str>,
    /// What it counts, as `customers`, or `µs` of a time.
    pub unit: &'static str,
    /// Whether it never falls: a total, or the largest so far.
    pub lasts: bool,
    /// What it is, in one sentence.
    pub definition: &'static str,
}

/// The unit of gauges that are times: a microsecond.
pub const MICROSECONDS: &str = "µs";

impl Gauge {
    /// Whether it is a time, in microseconds.
    pub fn is_time(&self) -> bool {
        self.unit == MICROSECONDS
    }
}

/// A state that a condition names by a word: `medium/floor-2 collapsed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// What can be in it: `medium`.
    pub of: &'static str,
    /// Its word: `collapsed`.
    pub word: &'static str,
    /// The gauge of it.
    pub gauge: &'static str,
    /// The gauge is above this in the state.
    pub above: u64,
    /// What it is, in one sentence.
    pub definition: &'static str,
}

/// A gauge of a model, by its number among those of the network, and of which member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Number of the gauge.
    pub gauge: u32,
    /// Number of the member; [`Watched::ALL`] for the largest or the sum of all.
    pub member: u32,
}

impl Watched {
    /// The member of a gauge without one.
    pub const ALL: u32 = u32::MAX;

    /// A gauge of all members.
    pub const fn of_all(gauge: u32) -> Self {
        Watched { gauge, member: Watched::ALL }
    }
}

/// An event to wait for, and the levels that paths are split at towards it.
#[derive(Clone, Debug, PartialEq)]
pub struct RareEvent {
    /// The gauge whose value makes the event.
    pub condition: Watched,
    /// It occurs while the gauge is above this.
    pub above: u64,
    /// The gauge whose rise leads to it.
    pub importance: Watched,
    /// Levels of the importance; none for a crude run.
    pub levels: Vec<Level>,
    /// Whether a path ends at the first occurrence.
    pub ends_at_first: bool,
    /// Whether to keep the time at each importance.
    pub keeps_course: bool,
}

/// A model whose worlds can be copied while they run.
pub trait RareModel: Model {
    /// Names of what a gauge has values for, by number; none of a gauge without members.
    fn members(&self, gauge: u32) -> Vec<String>;

    /// The gauge whose rise leads to a condition.
    fn importance(&self, condition: Watched) -> Watched;

    /// Runs a replication and copies of it; observed as [`Model::replicate`] observes.
    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally;
}

/// A world with gauges.
pub trait Gauged: Copied {
    /// The value of a gauge after all that happened up to `now`.
    fn gauge(&mut self, now: Time, watched: Watched) -> u64;

    /// Until when a gauge that is above a value stays so, if no event comes before.
    fn above_until(&self, _now: Time, _watched: Watched, _above: u64) -> Time {
        Time::NEVER
    }
}

/// Runs a world and its copies through their warm-up, which ends at the first of `observed`, to the second.
pub fn split<W: Gauged>(
    world: W,
    queue: Queue<W::Event>,
    observed: [Time; 2],
    event: &RareEvent,
    replication: &Replication<'_>,
) -> Tally {
    let splitting = Splitting {
        levels: &event.levels,
        importance: |world: &mut W, now| world.gauge(now, event.importance),
        occurs: |world: &mut W, now| {
            let occurs = world.gauge(now, event.condition) > event.above;
            occurs.then(|| world.above_until(now, event.condition, event.above))
        },
        ends_at_first: event.ends_at_first,
        keeps_course: event.keeps_course,
    };
    splitting::split(world, queue, observed, &splitting, replication.cancelled, replication.threads)
}
