//! Simulates scenarios that differ only in their events: the part before the first difference is simulated once, and
//! copies of that world continue as each of them.
//!
//! From the start, the queue holds the first steps of all scenarios, in the order in which each has them alone; a
//! copy drops those of the others. Instants, ties and bytes are therefore those of each scenario run by itself.

use sojourn_core::{Duration, Time};
use sojourn_engine::{Queue, World, run, warm_up};
use sojourn_scenario::Scenario;

use super::timed::{EventPlan, begins_after, off_at_first, silent_at_first};
use crate::Replication;

/// A world that goes on as any of several scenarios.
pub trait Branching: World + Clone {
    /// Goes on as the scenario of this number; steps of the others leave the queue.
    fn branch(&mut self, number: usize, queue: &mut Queue<Self::Event>);
}

/// Whether all scenarios begin in the same state: the same flows are silent and the same stations are off at first.
pub fn begin_alike(scenarios: &[&Scenario]) -> bool {
    let state = |scenario: &Scenario| -> (Vec<bool>, Vec<bool>, [bool; 2]) {
        let events = scenario.events();
        let flows = scenario.list("flow").iter().map(|flow| silent_at_first(events, flow.name()));
        let stations = (0..scenario.members().len()).map(|station| off_at_first(events, station));
        let begins = [["up", "down"], ["start", "stop"]].map(|actions| begins_after(events, actions));
        (flows.collect(), stations.collect(), begins)
    };
    scenarios.windows(2).all(|pair| state(pair[0]) == state(pair[1]))
}

/// The site of the first scenario with the events of all; `None` where they have other events, or none.
pub fn one_of_all<S, E: PartialEq>(
    scenarios: &[&Scenario],
    site: impl Fn(&Scenario) -> Option<S>,
    plan: impl Fn(&mut S) -> Option<&mut EventPlan<E>>,
) -> Option<S> {
    let mut sites: Vec<S> = scenarios.iter().map(|scenario| site(scenario)).collect::<Option<_>>()?;
    let mut others = Vec::new();
    for mut other in sites.drain(1..) {
        others.push(std::mem::replace(plan(&mut other)?, EventPlan::new(Vec::new())));
    }
    let mut first = sites.pop().filter(|_| begin_alike(scenarios))?;
    plan(&mut first)?.stand_beside(others).then_some(first)
}

/// How much of a run scenarios have in common.
pub fn in_common<E: PartialEq>(plan: Option<&EventPlan<E>>, warm_up: Duration, duration: Duration) -> Duration {
    let from = Time::ZERO + warm_up;
    plan.map_or(warm_up, |plan| plan.part_at(from, from + duration).since(Time::ZERO))
}

/// What some scenarios, by number, have observed at their ends, by a world, its clock and the events it has handled; all
/// worlds are the same for the time `in_common`.
pub fn replicate<W: Branching, R>(
    (mut world, mut queue): (W, Queue<W::Event>),
    replication: &Replication<'_>,
    in_common: Duration,
    numbers: &[usize],
    record: impl Fn(W, Time, u64) -> R,
) -> Vec<R> {
    let (from, part_at) = (Time::ZERO + replication.warm_up, Time::ZERO + in_common);
    let (to, cancelled) = (from + replication.duration, replication.cancelled);
    let mut goes_on = warm_up(&mut world, &mut queue, from, cancelled);
    if goes_on && part_at > from {
        let last = Time::from_picoseconds(part_at.picoseconds() - 1);
        goes_on = run(&mut world, &mut queue, last, cancelled) == last && !world.is_finished();
    }
    let branch = |number: usize| {
        let (mut world, mut queue) = (world.clone(), queue.clone());
        world.branch(number, &mut queue);
        let end = if goes_on { run(&mut world, &mut queue, to, cancelled) } else { queue.now() };
        record(world, end, queue.handled())
    };
    numbers.iter().map(|number| branch(*number)).collect()
}
