//! The events of a scenario as a network obeys them: ordinary events of its queue, each scheduled when the one before has
//! happened, and what they do to response times.
//!
//! A network says what an event does to it as a list of effects (plain data with an inverse) and carries them out; schedule,
//! windows and recovery are here. A replication without events has none of this.

use std::sync::Arc;

use sojourn_core::{CopyKey, Duration, Rekey, Streams, Time};
use sojourn_engine::schedule::{Occurrence, Occurrences, Schedule};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::recovery::Recovery;
use sojourn_metrics::timeline::{RequestWindows, edges};
use sojourn_scenario::Event;
use sojourn_scenario::event::Schedule as Written;

/// Occurrences that windows are aligned to.
const ALIGNED: u64 = 100;

/// What an event does to one thing.
pub trait Effect: Copy {
    /// What its end does.
    fn undone(self) -> Self;
}

/// What a scenario's events do to a network.
#[derive(Clone, Debug)]
pub struct Plan<E>(pub Vec<Planned<E>>);

/// One event.
#[derive(Clone, Debug)]
pub struct Planned<E> {
    /// Its name.
    pub name: String,
    /// When it happens.
    schedule: Written,
    /// What happens on its own, by name, and what happens together.
    groups: Vec<(String, Vec<E>)>,
}

/// An event of the queue, as small as others: what begins or ends, by its number, and in the lowest bit whether it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u32);

impl<E> Planned<E> {
    /// An event with an effect on each of some things, which are named. Random failures hit each on its own.
    pub fn new(event: &Event, effects: Vec<(String, Vec<E>)>) -> Self {
        let groups = match event.schedule {
            Written::Failures { .. } => effects,
            _ => vec![(String::new(), effects.into_iter().flat_map(|(_, effects)| effects).collect())],
        };
        Planned { name: event.name.clone(), schedule: event.schedule.clone(), groups }
    }
}

/// The flows that are silent at first: those that the earliest event that starts or stops them starts.
pub fn silent_at_first(events: &[Event], flow: &str) -> bool {
    first_action(events, ["start", "stop"], |event| event.flows.iter().any(|name| name == flow)) == Some("start")
}

/// The stations that are off at first: those whose power the earliest event that switches it switches on.
pub fn off_at_first(events: &[Event], station: usize) -> bool {
    first_action(events, ["power-up", "power-down"], |event| event.stations.contains(&station)) == Some("power-up")
}

/// Whether what the first of two actions begins is not there before: it is the earlier of the two, of the only thing that they
/// act on.
pub fn begins_after(events: &[Event], actions: [&'static str; 2]) -> bool {
    first_action(events, actions, |_| true) == Some(actions[0])
}

/// The earliest of two actions among the events at known times for which `acts` holds.
fn first_action(events: &[Event], actions: [&'static str; 2], acts: impl Fn(&Event) -> bool) -> Option<&'static str> {
    let first = |event: &Event| match &event.schedule {
        Written::At { begins, .. } => begins.first().copied(),
        Written::Every { first, .. } => Some(*first),
        Written::Failures { .. } => None,
    };
    let switches = events.iter().filter(|event| actions.contains(&event.action.word.word) && acts(event));
    let known = switches.filter_map(|event| Some((first(event)?, event.action.word.word)));
    known.min_by_key(|(at, _)| *at).map(|(_, word)| word)
}

/// The events of one replication.
#[derive(Clone, Debug)]
pub struct Timed<'p, E> {
    plan: &'p Plan<E>,
    slots: Vec<Slot>,
    from: Time,
    edges: Arc<[Time]>,
    requests: RequestWindows,
    recovery: Recovery,
}

/// Something that happens on its own.
#[derive(Clone, Debug)]
struct Slot {
    event: u32,
    group: u32,
    occurrences: Occurrences,
    end: Option<Time>,
}

impl<'p, E: Effect> Timed<'p, E> {
    /// Nothing has happened yet; observed from `from` to `to`.
    pub fn new(plan: &'p Plan<E>, streams: &Streams, from: Time, to: Time) -> Self {
        let mut slots = Vec::new();
        for (number, event) in (0..).zip(&plan.0) {
            for (group, (name, _)) in (0..).zip(&event.groups) {
                let stream = streams.stream(&format!("event/{}/{name}", event.name));
                let occurrences = Occurrences::new(engine(&event.schedule, from), stream);
                slots.push(Slot { event: number, group, occurrences, end: None });
            }
        }
        let known = plan.0.iter().flat_map(|event| event.schedule.known(to.since(Time::ZERO), ALIGNED));
        let marks = known.flat_map(|(begin, end)| [Some(begin), end]).flatten().map(|span| Time::ZERO + span);
        let edges = edges(from, to, marks);
        let requests = RequestWindows::new(Arc::clone(&edges));
        Timed { plan, slots, from, edges, requests, recovery: Recovery::new(plan.0.len()) }
    }

    /// The ends of the windows in which it is observed.
    pub fn edges(&self) -> Arc<[Time]> {
        Arc::clone(&self.edges)
    }

    /// The first step of everything.
    pub fn begin(&mut self) -> Vec<(Time, Step)> {
        (0..self.slots.len() as u32).filter_map(|slot| self.next_begin(slot)).collect()
    }

    /// Takes a step: the step that follows it, and the effects to carry out, in order.
    pub fn take(&mut self, now: Time, step: Step) -> (Option<(Time, Step)>, impl Iterator<Item = E> + use<'p, E>) {
        let (number, ends) = (step.0 >> 1, step.0 & 1 == 1);
        let slot = &self.slots[number as usize];
        let (event, end) = (slot.event, slot.end);
        let effects: &'p [E] = &self.plan.0[event as usize].groups[slot.group as usize].1;
        if !ends {
            self.recovery.begin(now, event, number);
        }
        let next = match end {
            Some(end) if !ends => Some((end, Step(number << 1 | 1))),
            _ => {
                self.recovery.end(now, number);
                self.next_begin(number)
            }
        };
        (next, effects.iter().map(move |effect| if ends { effect.undone() } else { *effect }))
    }

    fn next_begin(&mut self, number: u32) -> Option<(Time, Step)> {
        let slot = &mut self.slots[number as usize];
        let Occurrence { begin, end } = slot.occurrences.next_occurrence()?;
        slot.end = end;
        Some((begin, Step(number << 1)))
    }

    /// A request of the probes is sent.
    pub fn sent(&mut self, now: Time) {
        self.requests.sent(now);
    }

    /// A request of the probes, sent at `sent`, is answered, or not.
    pub fn ended(&mut self, sent: Time, response: Option<Duration>) {
        self.requests.ended(sent, response);
        if sent >= self.from {
            self.recovery.ended(sent, response);
        }
    }

    /// Adds what was observed to a record.
    pub fn finish(self, record: &mut Record) {
        record.observe("response_time/timeline", Observation::Timeline(self.requests.finish()));
        for (event, times) in self.plan.0.iter().zip(self.recovery.finish()) {
            record.share(format!("unrecovered/{}", event.name), times.censored(), times.sent());
            record.observe(format!("recovery_time/{}", event.name), Observation::Distribution(times));
        }
    }
}

/// A schedule in the engine's terms; failures begin at `from`.
fn engine(written: &Written, from: Time) -> Schedule {
    let at = |span: &Duration| Time::ZERO + *span;
    match written {
        Written::At { begins, lasts } => Schedule::At { begins: begins.iter().map(at).collect(), lasts: *lasts },
        Written::Every { first, period, lasts } => Schedule::Every { first: at(first), period: *period, lasts: *lasts },
        Written::Failures { between, repair } => Schedule::Failures { from, between: *between, repair: *repair },
    }
}

impl<E> Rekey for Timed<'_, E> {
    fn rekey(&mut self, copy: CopyKey) {
        self.slots.iter_mut().for_each(|slot| slot.occurrences.rekey(copy));
    }
}
