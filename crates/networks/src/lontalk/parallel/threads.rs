//! The threads of one replication: each runs its group as far as the others cannot reach it any more.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sojourn_core::Time;
use sojourn_engine::run;

use super::border::Mailbox;
use super::operation::Operation;
use super::partition::{CORE, Partition};
use super::samples::Sample;
use crate::lontalk::event::{Event, Events};
use crate::lontalk::world::Simulation;

/// A group looks at the others, and announces what is new, this many times in the time that its lookahead is.
const LOOKS: u64 = 3;

/// Turns of a loop that waits before it lends its processor to others.
const TURNS: u32 = 20_000;

/// Long waits between two barriers that do not matter, and how many steps one more takes. A thread that waits so long waits for another
/// that has no processor: beside another process once in two to three thousand steps, on idle processors once in ten thousand or less.
const FEWEST_LONG_WAITS: u64 = 1;
const STEPS_PER_LONG_WAIT: u64 = 8000;

/// Stretches between barriers with more of them, in a row, after which one thread goes on: other work that soon ends does not count.
pub(super) const CROWDED_STRETCHES: usize = 10;

/// What the threads of a replication share.
#[derive(Debug)]
pub struct Exchange {
    /// The groups.
    pub partition: Arc<Partition>,
    /// By group, the instant before which it will announce nothing any more.
    promised: Vec<Alone<AtomicU64>>,
    /// By group from which and group to which, what has been announced.
    mailboxes: Vec<Alone<(AtomicBool, Mutex<Mailbox>)>>,
    /// By group, what happened to its messages.
    operations: Vec<Mutex<Vec<Operation>>>,
    samples: Mutex<Vec<Sample>>,
    /// Threads that have arrived at the barrier, and how often all have passed it.
    arrived: AtomicUsize,
    passed: AtomicUsize,
    /// Since the last barrier, waits after which a thread lent its processor to others, and steps with events.
    pub(super) long_waits: AtomicU64,
    steps: AtomicU64,
    /// Stretches between barriers, up to the last one, in which there were so many of these waits that one thread is quicker.
    pub(super) crowded: AtomicUsize,
    abandoned: AtomicBool,
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
    /// Nothing: the others allow nothing yet.
    Waits,
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
            promised: (0..groups).map(|_| Alone::default()).collect(),
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
        let (mut turns, mut steps) = (0, 0);
        loop {
            match self.step(simulation, events, until, cancelled)? {
                Step::Ran => (turns, steps) = (0, steps + 1),
                Step::Waits => self.wait(&mut turns)?,
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
        let Some(group) = simulation.in_flight.border.as_ref().map(|border| border.group) else {
            return Ok(Step::Done);
        };
        let limit = self.limit(group);
        self.read_mailboxes(simulation, events);
        let next = events.next_time();
        // before anything else happens: a transmission is announced while it lasts
        simulation.announce_to_core(next.min(limit));
        self.promise(simulation, group, next.min(limit));
        let horizon = until.min(just_before(limit));
        if next > horizon {
            return Ok(if next > until && limit > until { Step::Done } else { Step::Waits });
        }
        let look = self.partition.lookahead[usize::from(group)].divided(LOOKS);
        run(simulation, events, horizon.min(next + look), cancelled);
        let is_tied = simulation.in_flight.border.as_ref().is_some_and(|border| border.tied);
        if is_tied || cancelled.load(Ordering::Relaxed) {
            self.abandon();
            return Err(Abandoned);
        }
        Ok(Step::Ran)
    }

    /// The instant before which the others will announce nothing to a group any more.
    fn limit(&self, group: u8) -> Time {
        let promised = |from: usize| self.promised[from].0.load(Ordering::Acquire);
        let limit = match group {
            CORE => (1..self.promised.len()).map(promised).min().unwrap_or(u64::MAX),
            _ => promised(usize::from(CORE)),
        };
        Time::from_picoseconds(limit)
    }

    /// Schedules what the others have announced.
    fn read_mailboxes(&self, simulation: &mut Simulation<'_, '_>, events: &mut Events) {
        let Some(border) = &mut simulation.in_flight.border else { return };
        for from in 0..self.promised.len() {
            let Alone((is_new, mailbox)) = &self.mailboxes[from * self.promised.len() + usize::from(border.group)];
            if !is_new.load(Ordering::Acquire) {
                continue;
            }
            let mut mailbox = locked(mailbox);
            is_new.store(false, Ordering::Relaxed);
            mailbox.events.drain(..).for_each(|(at, event)| events.at(at, event));
            for packet in mailbox.packets.drain(..) {
                events.at(packet.at, Event::Passed(border.arriving.insert(packet)));
            }
        }
    }

    /// Announces to the others what there is to announce, and that nothing is to come from before what follows from `through`.
    fn promise(&self, simulation: &mut Simulation<'_, '_>, group: u8, through: Time) {
        let Some(border) = &mut simulation.in_flight.border else { return };
        for (to, new) in border.outgoing.iter_mut().enumerate() {
            if new.events.is_empty() && new.packets.is_empty() {
                continue;
            }
            let Alone((is_new, mailbox)) = &self.mailboxes[usize::from(group) * self.promised.len() + to];
            let mut mailbox = locked(mailbox);
            mailbox.events.append(&mut new.events);
            mailbox.packets.append(&mut new.packets);
            is_new.store(true, Ordering::Release);
        }
        let promised = border.promise(through);
        if promised > border.promised {
            border.promised = promised;
            self.promised[usize::from(group)].0.store(promised.picoseconds(), Ordering::Release);
        }
    }

    /// All groups come to one instant: performs what happened to the messages of each, and records the samples of all, in the
    /// order of time, in the core.
    /// Returns whether one thread is to go on with all groups.
    pub fn settle(&self, simulation: &mut Simulation<'_, '_>) -> Result<bool, Abandoned> {
        for part in [Self::hand_in, Self::perform, Self::record] {
            part(self, simulation);
            self.barrier()?;
        }
        Ok(self.crowded.load(Ordering::Relaxed) >= CROWDED_STRETCHES)
    }

    /// Gives the other groups what happened to their messages.
    pub fn hand_in(&self, simulation: &mut Simulation<'_, '_>) {
        let Some(border) = &mut simulation.in_flight.border else { return };
        for (operations, new) in self.operations.iter().zip(&mut border.operations) {
            locked(operations).append(new);
        }
    }

    /// Performs what happened to the messages of a group, once all have handed that in.
    pub fn perform(&self, simulation: &mut Simulation<'_, '_>) {
        let Some(group) = simulation.in_flight.border.as_ref().map(|border| border.group) else { return };
        let operations = std::mem::take(&mut *locked(&self.operations[usize::from(group)]));
        if simulation.perform(operations, group) {
            self.abandon();
        }
        if let Some(log) = &mut simulation.metrics.log {
            locked(&self.samples).append(log);
        }
    }

    /// Records the samples of all groups in the core, once all have performed that.
    pub fn record(&self, simulation: &mut Simulation<'_, '_>) {
        let is_core = simulation.in_flight.border.as_ref().is_some_and(|border| border.group == CORE);
        if is_core && simulation.metrics.record_in_order(&mut locked(&self.samples)) {
            self.abandon();
        }
        // decided where no thread can look: between two barriers
        if is_core {
            let [long_waits, steps] = [&self.long_waits, &self.steps].map(|count| count.swap(0, Ordering::Relaxed));
            let is_crowded = long_waits > FEWEST_LONG_WAITS + steps / STEPS_PER_LONG_WAIT;
            let stretches = if is_crowded { self.crowded.load(Ordering::Relaxed) + 1 } else { 0 };
            self.crowded.store(stretches, Ordering::Relaxed);
        }
    }

    /// Waits until all threads have come here.
    fn barrier(&self) -> Result<(), Abandoned> {
        let passed = self.passed.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.promised.len() {
            self.arrived.store(0, Ordering::Relaxed);
            self.passed.store(passed + 1, Ordering::Release);
            return Ok(());
        }
        let mut turns = 0;
        while self.passed.load(Ordering::Acquire) == passed {
            self.wait(&mut turns)?;
        }
        Ok(())
    }

    /// A turn of a loop that waits.
    fn wait(&self, turns: &mut u32) -> Result<(), Abandoned> {
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
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
