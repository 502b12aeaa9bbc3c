//! Executes a scenario's events in a network: each is an ordinary event of its queue, scheduled when the previous one
//! has occurred, and its effect on response times is recorded.
//!
//! A network declares what an event does to it as a list of effects (plain data with an inverse) and applies them;
//! schedule, windows and recovery are here. A replication without events carries none of this.

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
pub trait Effect: Copy + PartialEq {
    /// What its end does.
    fn undone(self) -> Self;
}

/// What a scenario's events do to a network.
#[derive(Clone, Debug)]
pub struct EventPlan<E> {
    events: Vec<PlannedEvent<E>>,
    /// The same events of other scenarios, of which some differ: their replications begin as this one's (see `branches`).
    others: Vec<Vec<PlannedEvent<E>>>,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedEvent<E> {
    /// Its name.
    pub name: String,
    /// When it happens.
    schedule: Written,
    /// What happens on its own, by name, and what happens together.
    groups: Vec<(String, Vec<E>)>,
}

/// An event of the queue, as small as others: what begins or ends, by its number, and in the lowest bit whether it ends. Numbers
/// from that of all slots on are of other scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u32);

impl<E> EventPlan<E> {
    /// The plan of one scenario.
    pub fn new(events: Vec<PlannedEvent<E>>) -> Self {
        EventPlan { events, others: Vec::new() }
    }
}

impl<E: PartialEq> EventPlan<E> {
    /// Takes the plans of other scenarios beside it; whether all have the same events, which affect the same things.
    pub fn stand_beside(&mut self, others: Vec<EventPlan<E>>) -> bool {
        let names = |events: &[PlannedEvent<E>]| -> Vec<(String, Vec<String>)> {
            let groups = |event: &PlannedEvent<E>| event.groups.iter().map(|(name, _)| name.clone()).collect();
            events.iter().map(|event| (event.name.clone(), groups(event))).collect()
        };
        let own = names(&self.events);
        self.others = others.into_iter().map(|other| other.events).collect();
        self.others.iter().all(|other| names(other) == own)
    }

    /// Until when replications of all scenarios are the same that are observed from `from` to `to`: no event that differs has
    /// begun, and the windows end at the same instants.
    pub fn part_at(&self, from: Time, to: Time) -> Time {
        let mut at = to;
        let own = edges_of(&self.events, from, to);
        for other in &self.others {
            let differing = self.events.iter().zip(other).filter(|(one, other)| one != other);
            let begins = differing.flat_map(|(one, other)| [one, other].map(|event| first(&event.schedule, from)));
            let alike =
                own.iter().zip(edges_of(other, from, to).iter()).take_while(|(one, other)| one == other).count();
            at = begins.chain(own.get(alike.saturating_sub(1)).copied()).fold(at, Time::min);
        }
        at.max(from)
    }
}

/// When an event may happen for the first time.
fn first(schedule: &Written, from: Time) -> Time {
    match schedule {
        Written::At { begins, .. } => begins.first().map_or(Time::NEVER, |begin| Time::ZERO + *begin),
        Written::Every { first, .. } => Time::ZERO + *first,
        Written::Failures { .. } => from,
    }
}

/// The ends of windows that events are aligned to.
fn edges_of<E>(events: &[PlannedEvent<E>], from: Time, to: Time) -> Arc<[Time]> {
    let known = events.iter().flat_map(|event| event.schedule.known(to.since(Time::ZERO), ALIGNED));
    let marks = known.flat_map(|(begin, end)| [Some(begin), end]).flatten().map(|span| Time::ZERO + span);
    edges(from, to, marks)
}

impl<E> PlannedEvent<E> {
    /// An event with an effect on each of some things, which are named. Random failures hit each on its own.
    pub fn new(event: &Event, effects: Vec<(String, Vec<E>)>) -> Self {
        let groups = match event.schedule {
            Written::Failures { .. } => effects,
            _ => vec![(String::new(), effects.into_iter().flat_map(|(_, effects)| effects).collect())],
        };
        PlannedEvent { name: event.name.clone(), schedule: event.schedule.clone(), groups }
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

/// What is sampled of the probed flows, and so by what events are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// Response times of requests.
    Responses,
    /// One-way delays of datagrams and packets of calls.
    OneWay,
}

impl Sampled {
    fn timeline(self) -> &'static str {
        match self {
            Sampled::Responses => "response_time/timeline",
            Sampled::OneWay => "one_way_delay/timeline",
        }
    }
}

/// The events of one replication.
#[derive(Clone, Debug)]
pub struct Timed<'p, E> {
    events: &'p [PlannedEvent<E>],
    others: Others<'p, E>,
    slots: Vec<Slot>,
    from: Time,
    edges: Arc<[Time]>,
    samples: Vec<(Sampled, RequestWindows)>,
    recovery: Recovery,
}

/// The events of other scenarios: each before its first.
type Others<'p, E> = Arc<[Other<'p, E>]>;

#[derive(Debug)]
struct Other<'p, E> {
    events: &'p [PlannedEvent<E>],
    slots: Vec<Slot>,
    edges: Arc<[Time]>,
    /// By slot, whether it differs from this scenario's.
    differs: Vec<bool>,
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
    pub fn new(plan: &'p EventPlan<E>, streams: &Streams, from: Time, to: Time) -> Self {
        let slots = slots(&plan.events, streams, from);
        let other = |events: &'p Vec<PlannedEvent<E>>| {
            let differs = slots.iter().map(|slot| events[slot.event as usize] != plan.events[slot.event as usize]);
            let (differs, edges) = (differs.collect(), edges_of(events, from, to));
            Other { events, slots: self::slots(events, streams, from), edges, differs }
        };
        let others = plan.others.iter().map(other).collect();
        let edges = edges_of(&plan.events, from, to);
        let timed = Timed {
            events: &plan.events,
            others,
            slots,
            from,
            edges,
            samples: Vec::new(),
            recovery: Recovery::default(),
        };
        timed.sampling(&[Sampled::Responses])
    }

    /// The same, judged by what is sampled.
    pub fn sampling(self, sampled: &[Sampled]) -> Self {
        let samples = sampled.iter().map(|&kind| (kind, RequestWindows::new(Arc::clone(&self.edges)))).collect();
        Timed { samples, recovery: Recovery::new(self.events.len(), sampled.len()), ..self }
    }

    /// The ends of the windows in which it is observed.
    pub fn edges(&self) -> Arc<[Time]> {
        Arc::clone(&self.edges)
    }

    /// The first step of everything, beside it that of other scenarios where it differs.
    pub fn begin(&mut self) -> Vec<(Time, Step)> {
        let (others, all) = (Arc::clone(&self.others), self.slots.len() as u32);
        let beside = |slot: u32, number: u32, other: &Other<'_, E>| {
            let first = other.slots[slot as usize].clone().next_begin()?;
            other.differs[slot as usize].then_some((first, Step((number * all + slot) << 1)))
        };
        let of_slot = |slot: u32| {
            let own = self.next_begin(slot);
            own.into_iter()
                .chain((1..).zip(others.iter()).filter_map(move |(number, other)| beside(slot, number, other)))
        };
        (0..all).flat_map(of_slot).collect()
    }

    /// Goes on as the scenario of this number among all, with its windows; 0 is this one. Nothing that differs has happened.
    pub fn branch(&mut self, number: usize) {
        let Some(other) = number.checked_sub(1).map(|at| &self.others[at]) else { return };
        self.events = other.events;
        for ((slot, replaced), _) in
            self.slots.iter_mut().zip(&other.slots).zip(&other.differs).filter(|(_, differs)| **differs)
        {
            *slot = replaced.clone();
            slot.next_begin();
        }
        self.edges = Arc::clone(&other.edges);
        self.samples.iter_mut().for_each(|(_, windows)| windows.set_edges(Arc::clone(&self.edges)));
    }

    /// Whether a step is one of the scenario of this number.
    pub fn is_of(&self, number: usize, step: Step) -> bool {
        let (of, slot) = ((step.0 >> 1) as usize / self.slots.len(), (step.0 >> 1) as usize % self.slots.len());
        match number.checked_sub(1) {
            Some(at) if self.others[at].differs[slot] => of == number,
            _ => of == 0,
        }
    }

    /// Takes a step: the step that follows it, and the effects to carry out, in order.
    pub fn take(&mut self, now: Time, step: Step) -> (Option<(Time, Step)>, impl Iterator<Item = E> + use<'p, E>) {
        let (number, ends) = ((step.0 >> 1) % self.slots.len() as u32, step.0 & 1 == 1);
        let slot = &self.slots[number as usize];
        let (event, end) = (slot.event, slot.end);
        let effects: &'p [E] = &self.events[event as usize].groups[slot.group as usize].1;
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
        let begin = self.slots[number as usize].next_begin()?;
        Some((begin, Step(number << 1)))
    }

    /// A request of the probes is sent.
    pub fn sent(&mut self, now: Time) {
        self.sent_of(Sampled::Responses, now);
    }

    /// A request of the probes, sent at `sent`, is answered, or not.
    pub fn ended(&mut self, sent: Time, response: Option<Duration>) {
        self.ended_of(Sampled::Responses, sent, response);
    }

    /// Something of this kind is sent.
    pub fn sent_of(&mut self, kind: Sampled, now: Time) {
        let windows = self.samples.iter_mut().find(|(sampled, _)| *sampled == kind);
        windows.into_iter().for_each(|(_, windows)| windows.sent(now));
    }

    /// What was sent at `sent` is through after `time`, or lost.
    pub fn ended_of(&mut self, kind: Sampled, sent: Time, time: Option<Duration>) {
        let Some(place) = self.samples.iter().position(|(sampled, _)| *sampled == kind) else { return };
        self.samples[place].1.ended(sent, time);
        if sent >= self.from {
            self.recovery.ended(place, sent, time);
        }
    }

    /// Adds what was observed to a record.
    pub fn finish(self, record: &mut Record) {
        for (kind, windows) in self.samples {
            record.observe(kind.timeline(), Observation::Timeline(windows.finish()));
        }
        for (event, times) in self.events.iter().zip(self.recovery.finish()) {
            record.share(format!("unrecovered/{}", event.name), times.censored(), times.sent());
            record.observe(format!("recovery_time/{}", event.name), Observation::Distribution(times));
        }
    }
}

impl Slot {
    fn next_begin(&mut self) -> Option<Time> {
        let Occurrence { begin, end } = self.occurrences.next_occurrence()?;
        self.end = end;
        Some(begin)
    }
}

/// What happens on its own, before its first occurrence.
fn slots<E>(events: &[PlannedEvent<E>], streams: &Streams, from: Time) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (number, event) in (0..).zip(events) {
        for (group, (name, _)) in (0..).zip(&event.groups) {
            let stream = streams.stream(&format!("event/{}/{name}", event.name));
            let occurrences = Occurrences::new(engine(&event.schedule, from), stream);
            slots.push(Slot { event: number, group, occurrences, end: None });
        }
    }
    slots
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
