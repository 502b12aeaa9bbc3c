//! The threads of one replication: each runs its group as far as the others cannot reach it any more.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sojourn_core::Time;
use sojourn_engine::run;

use super::border::{Border, Mailbox};
use super::operation::Operation;
use super::partition::{CORE, Partition};
use super::samples::Sample;
use crate::event::{Event, Events};
use crate::world::Simulation;

/// A group announces what is new this many times in the time that its lookahead is.
const ANNOUNCEMENTS: u64 = 3;

/// Turns of a loop that waits before it lends its processor to others.
const TURNS: u32 = 40_000;

/// What the threads of a replication share.
#[derive(Debug)]
pub struct Exchange {
    /// The groups.
    pub partition: Arc<Partition>,
    /// By group.
    outlets: Vec<Alone<Outlet>>,
    /// By group from which and group to which, what has been announced.
    mailboxes: Vec<Alone<Mutex<Mailbox>>>,
    /// By group, what happened to its messages.
    pub(super) operations: Vec<Mutex<Vec<Operation>>>,
    pub(super) samples: Mutex<Vec<Sample>>,
    /// Threads that have arrived at the barrier, and how often all have passed it.
    pub(super) arrived: AtomicUsize,
    pub(super) passed: AtomicUsize,
    /// Since the last barrier, waits after which a thread lent its processor to others, and steps with events.
    pub(super) long_waits: AtomicU64,
    pub(super) steps: AtomicU64,
    /// Stretches between barriers, up to the last one, in which there were so many of these waits that one thread is quicker.
    pub(super) crowded: AtomicUsize,
    abandoned: AtomicBool,
}

/// What a group signals to the others, in one cache line: each look fetches it from another processor.
#[derive(Debug, Default)]
struct Outlet {
    /// The instant before which it will announce nothing any more.
    promised: AtomicU64,
    /// How often it has put something into a mailbox.
    filled: AtomicU64,
}

/// A value that shares its cache line with no other.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Alone<T>(T);

/// What a group has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Handled events.
    Ran,
    /// Nothing: the others allow nothing from this instant on yet.
    Waits(Time),
    /// Handled all events.
    Done,
}

/// The replication was abandoned.
#[derive(Debug)]
pub struct Abandoned;

impl Exchange {
    /// Before the start.
    pub fn new(partition: Arc<Partition>) -> Self {
        let groups = partition.groups();
        Exchange {
            outlets: (0..groups).map(|_| Alone::default()).collect(),
            mailboxes: (0..groups * groups).map(|_| Alone::default()).collect(),
            operations: (0..groups).map(|_| Mutex::default()).collect(),
            samples: Mutex::default(),
            arrived: AtomicUsize::new(0),
            passed: AtomicUsize::new(0),
            long_waits: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            crowded: AtomicUsize::new(0),
            abandoned: AtomicBool::new(false),
            partition,
        }
    }

    /// Whether all are to stop.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// All threads stop: the order of two events is unknown, or a thread panics.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Handles all events of a group up to `until`.
    pub fn run(
        &self,
        simulation: &mut Simulation<'_, '_>,
        events: &mut Events,
        until: Time,
        cancelled: &AtomicBool,
    ) -> Result<(), Abandoned> {
        let mut steps = 0;
        loop {
            match self.step(simulation, events, until, cancelled)? {
                Step::Ran => steps += 1,
                Step::Waits(limit) => self.wait_beyond(simulation, limit)?,
                Step::Done => break,
            }
        }
        self.steps.fetch_add(steps, Ordering::Relaxed);
        Ok(())
    }

    /// Handles some events of a group up to `until`, as far as the others allow.
    pub fn step(
        &self,
        simulation: &mut Simulation<'_, '_>,
        events: &mut Events,
        until: Time,
        cancelled: &AtomicBool,
    ) -> Result<Step, Abandoned> {
        let Some(border) = &mut simulation.in_flight.border else { return Ok(Step::Done) };
        // what the others announce before the limit seen last is known
        if events.next_time() >= border.limit.min(until) {
            self.look(border, events);
        }
        let (group, limit, next) = (border.group, border.limit, events.next_time());
        // before anything else happens: a transmission is announced while it lasts
        simulation.announce_to_core(next.min(limit));
        self.promise(simulation, group, next.min(limit));
        let horizon = until.min(just_before(limit));
        if next > horizon {
            return Ok(if next > until && limit > until { Step::Done } else { Step::Waits(limit) });
        }
        let stretch = self.partition.lookahead[usize::from(group)].divided(ANNOUNCEMENTS);
        run(simulation, events, horizon.min(next + stretch), cancelled);
        let is_tied = simulation.in_flight.border.as_ref().is_some_and(|border| border.tied);
        if is_tied || cancelled.load(Ordering::Relaxed) {
            self.abandon();
            return Err(Abandoned);
        }
        Ok(Step::Ran)
    }

    /// The instant before which the others will announce nothing to a group any more.
    fn limit(&self, group: u8) -> Time {
        let promised = |from: usize| self.outlets[from].0.promised.load(Ordering::Acquire);
        let limit = match group {
            CORE => (1..self.outlets.len()).map(promised).min().unwrap_or(u64::MAX),
            _ => promised(usize::from(CORE)),
        };
        Time::from_picoseconds(limit)
    }

    /// Looks how far the others allow a group to go, and schedules what they have announced.
    fn look(&self, border: &mut Border, events: &mut Events) {
        border.limit = self.limit(border.group);
        for (from, Alone(outlet)) in self.outlets.iter().enumerate() {
            let filled = outlet.filled.load(Ordering::Acquire);
            if filled == border.emptied[from] {
                continue;
            }
            border.emptied[from] = filled;
            let mut mailbox = locked(&self.mailboxes[from * self.outlets.len() + usize::from(border.group)].0);
            mailbox.events.drain(..).for_each(|(at, event)| events.at(at, event));
            for packet in mailbox.packets.drain(..) {
                events.at(packet.at, Event::Passed(border.arriving.insert(packet)));
            }
        }
    }

    /// Announces to the others what there is to announce, and that nothing is to come from before what follows from `through`.
    fn promise(&self, simulation: &mut Simulation<'_, '_>, group: u8, through: Time) {
        let Some(border) = &mut simulation.in_flight.border else { return };
        let Alone(outlet) = &self.outlets[usize::from(group)];
        for (to, new) in border.outgoing.iter_mut().enumerate() {
            if new.events.is_empty() && new.packets.is_empty() {
                continue;
            }
            let mut mailbox = locked(&self.mailboxes[usize::from(group) * self.outlets.len() + to].0);
            mailbox.events.append(&mut new.events);
            mailbox.packets.append(&mut new.packets);
            drop(mailbox);
            outlet.filled.store(outlet.filled.load(Ordering::Relaxed) + 1, Ordering::Release);
        }
        let promised = border.promise(through);
        if promised > border.promised {
            border.promised = promised;
            outlet.promised.store(promised.picoseconds(), Ordering::Release);
        }
    }

    /// Waits until the others allow a group to go beyond `limit`.
    fn wait_beyond(&self, simulation: &Simulation<'_, '_>, limit: Time) -> Result<(), Abandoned> {
        let Some(group) = simulation.in_flight.border.as_ref().map(|border| border.group) else { return Ok(()) };
        let mut turns = 0;
        while self.limit(group) <= limit {
            self.wait(&mut turns)?;
        }
        Ok(())
    }

    /// A turn of a loop that waits.
    pub(super) fn wait(&self, turns: &mut u32) -> Result<(), Abandoned> {
        *turns += 1;
        if *turns > TURNS {
            self.long_waits.fetch_add(u64::from(*turns == TURNS + 1), Ordering::Relaxed);
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        if self.is_abandoned() { Err(Abandoned) } else { Ok(()) }
    }
}

/// The value of a mutex. A thread that panicked while it held one has abandoned the replication.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn just_before(limit: Time) -> Time {
    Time::from_picoseconds(limit.picoseconds().saturating_sub(1))
}

/// Abandons the replication when its thread panics, so that the others do not wait for it.
#[derive(Debug)]
pub struct AbandonOnPanic<'e>(pub &'e Exchange);

impl Drop for AbandonOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}
