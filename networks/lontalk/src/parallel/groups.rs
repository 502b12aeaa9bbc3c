//! A group of media and its course through a replication.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sojourn_core::{Duration, Time};
use sojourn_engine::World;

use super::border::Border;
use super::partition::Partition;
use super::threads::{Abandoned, Exchange, Step};
use crate::event::Events;
use crate::world::Simulation;
use sojourn_model::Replication;

/// Simulated time between two instants at which all groups wait for each other.
const BETWEEN_BARRIERS: Duration = Duration::from_secs(1);

/// Where a replication stops: at barriers, at the end of its warm-up and at its end.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    from: Time,
    end: Time,
}

/// A group of media.
pub struct Group<'a, 'c> {
    /// Its simulation.
    pub simulation: Simulation<'a, 'c>,
    /// Its events.
    pub events: Events,
    /// Up to here all is handled; at the start of the observation, all before.
    now: Time,
}

impl Course {
    /// The course of a replication.
    pub fn of(replication: &Replication<'_>) -> Self {
        let from = Time::ZERO + replication.warm_up;
        Course { from, end: from + replication.duration }
    }

    /// The next stop; none at the end.
    fn stop_after(&self, now: Time) -> Option<Time> {
        let last = if now < self.from { Time::from_picoseconds(self.from.picoseconds() - 1) } else { self.end };
        (now < last || now < self.from).then(|| last.min(now + BETWEEN_BARRIERS))
    }
}

impl<'a, 'c> Group<'a, 'c> {
    /// A group at rest, of the whole site at rest.
    pub fn new(
        (mut simulation, mut events): (Simulation<'a, 'c>, Events),
        partition: &Arc<Partition>,
        number: u8,
        course: Course,
    ) -> Group<'a, 'c> {
        let border = Border::new(Arc::clone(partition), number, simulation.site.stations.len());
        simulation.become_group(border, &mut events);
        if course.from == Time::ZERO {
            simulation.end_warm_up(Time::ZERO, &mut events);
        }
        Group { simulation, events, now: Time::ZERO }
    }

    /// Runs a group beside the others, to its end or until one thread is to go on with all of them.
    pub fn run(mut self, exchange: &Exchange, course: Course, cancelled: &AtomicBool) -> Result<Self, Abandoned> {
        while let Some(stop) = course.stop_after(self.now) {
            exchange.run(&mut self.simulation, &mut self.events, stop, cancelled)?;
            let is_crowded = exchange.settle(&mut self.simulation)?;
            self.reach(stop, course);
            if is_crowded {
                break;
            }
        }
        Ok(self)
    }

    /// All up to a stop is handled.
    fn reach(&mut self, stop: Time, course: Course) {
        self.now = stop;
        if stop < course.from && stop + Duration::from_picoseconds(1) == course.from {
            self.events.advance_to(course.from);
            self.simulation.end_warm_up(course.from, &mut self.events);
            self.now = course.from;
        }
    }

    /// One simulation of those of all groups.
    pub fn join(groups: Vec<Group<'a, 'c>>, partition: &Partition) -> Option<Simulation<'a, 'c>> {
        let mut simulations = groups.into_iter().map(|group| group.simulation);
        let mut core = simulations.next()?;
        core.in_flight.leave_others();
        (1..).zip(simulations).for_each(|(number, simulation)| core.join(simulation, number, partition));
        Some(core)
    }
}

/// Runs all groups to their end on this thread; `next` is the group whose turn is after that of another.
pub fn take_turns(
    exchange: &Exchange,
    groups: &mut [Group<'_, '_>],
    course: Course,
    cancelled: &AtomicBool,
    mut next: impl FnMut(usize) -> usize,
) -> Result<(), Abandoned> {
    let mut turn = 0;
    while let Some(stop) = course.stop_after(groups[0].now) {
        let mut done = vec![false; groups.len()];
        while done.contains(&false) {
            turn = next(turn);
            let Group { simulation, events, .. } = &mut groups[turn];
            done[turn] = exchange.step(simulation, events, stop, cancelled)? == Step::Done;
        }
        for part in [Exchange::hand_in, Exchange::perform, Exchange::record] {
            groups.iter_mut().for_each(|group| part(exchange, &mut group.simulation));
        }
        groups.iter_mut().for_each(|group| group.reach(stop, course));
    }
    if exchange.is_abandoned() { Err(Abandoned) } else { Ok(()) }
}
