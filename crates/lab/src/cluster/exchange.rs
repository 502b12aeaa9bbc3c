//! The exchange between a job and the cluster driver: replications to compute, and replications computed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration as WallDuration;

use sojourn_experiment::entry::{Key, content};
use sojourn_experiment::rounds::WorkItem;

use super::batch::{Answer, Batch, ReplicationSet, read_answers};

/// A replication that ended this many workers, each of which computed nothing else, is not tried again.
const MOST_DEATHS: u32 = 3;
/// A point that gave no replication yet may take this many times as long as the others.
const CAUTION: f64 = 4.0;

/// What a replication gave: the cache's entry, or why there is none.
pub type Arrival = (WorkItem, Result<Vec<u8>, String>);

/// The scenario of a point, as it travels.
#[derive(Debug)]
pub struct Subject {
    /// Fingerprint of the scenario without seed and number of replications.
    pub scenario: String,
    /// The scenario in full form, as TOML.
    pub document: String,
}

/// A replication to compute.
#[derive(Clone, Debug)]
pub struct Offer {
    item: WorkItem,
    subject: Arc<Subject>,
    seed: u64,
    warm_up_ps: u64,
    duration_ps: u64,
    traces: bool,
}

impl Offer {
    /// The replication `key` of the point of `item`.
    pub fn new(item: WorkItem, key: &Key<'_>, subject: Arc<Subject>) -> Offer {
        let Key { seed, warm_up_ps, duration_ps, traces, .. } = *key;
        Offer { item, subject, seed, warm_up_ps, duration_ps, traces }
    }

    fn joins(&self, run: &ReplicationSet) -> bool {
        let numbers = (self.seed, self.warm_up_ps, self.duration_ps, self.traces);
        self.subject.scenario == run.scenario && numbers == (run.seed, run.warm_up_ps, run.duration_ps, run.traces)
    }

    fn run(&self) -> ReplicationSet {
        ReplicationSet {
            scenario: self.subject.scenario.clone(),
            document: self.subject.document.clone(),
            seed: self.seed,
            warm_up_ps: self.warm_up_ps,
            duration_ps: self.duration_ps,
            traces: self.traces,
            replications: vec![self.item.index],
        }
    }
}

/// The replications of a job that were offered, handed out and answered.
///
/// A replication is answered once: what arrives later, from a copy or from an earlier call, is dropped.
#[derive(Debug)]
pub struct Exchange {
    identity: String,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    offered: VecDeque<Offer>,
    /// Offered, and each a suspect.
    suspects: VecDeque<Offer>,
    /// Workers that ended while they computed a suspect and nothing else.
    deaths: BTreeMap<WorkItem, u32>,
    /// Offered and not answered.
    open: BTreeSet<WorkItem>,
    /// Handed out, by number.
    batches: BTreeMap<u64, Vec<Offer>>,
    /// The numbers of those that hold a suspect and nothing else.
    trials: BTreeSet<u64>,
    arrived: Vec<Arrival>,
    /// Batches handed out so far.
    numbers: u64,
    /// Computing times by position of the point.
    pace: BTreeMap<usize, Pace>,
    /// Computing times of all replications.
    overall: Pace,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    seconds: f64,
    count: u32,
}

impl Pace {
    fn add(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.count += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / f64::from(self.count))
    }
}

impl Exchange {
    /// Nothing offered yet; `identity` is the build that must compute.
    pub fn new(identity: &str) -> Exchange {
        Exchange { identity: identity.to_owned(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Offers a replication.
    pub fn offer(&self, offer: Offer) {
        let mut state = self.state();
        state.open.insert(offer.item);
        state.offered.push_back(offer);
    }

    /// Whether everything offered was answered.
    pub fn is_done(&self) -> bool {
        let state = self.state();
        state.open.is_empty() && state.arrived.is_empty()
    }

    /// What arrived since the last call; waits for something at most so long.
    pub fn wait(&self, at_most: WallDuration) -> Vec<Arrival> {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, at_most, |state| state.arrived.is_empty());
        std::mem::take(&mut waited.expect("no thread panics while it holds the exchange").0.arrived)
    }

    /// Forgets everything; answers to what was handed out are dropped from now on.
    pub fn clear(&self) {
        let mut state = self.state();
        *state = State { numbers: state.numbers, ..State::default() };
    }

    /// A batch of about `seconds` of computing for one of `threads` threads, with its number; `None` when there is
    /// nothing to hand out but suspects. Batches become shorter towards the end, so that all threads end at about the
    /// same time.
    pub fn take(&self, seconds: f64, threads: usize) -> Option<(u64, Batch)> {
        let mut state = self.state();
        let most = state.offered.len().div_ceil(2 * threads.max(1));
        let mut offers: Vec<Offer> = Vec::new();
        let mut expected = 0.0;
        while let Some(offer) = state.offered.pop_front() {
            if !state.open.contains(&offer.item) {
                continue;
            }
            if state.deaths.contains_key(&offer.item) {
                // a copy that was offered before the worker of the other ended
                state.suspects.push_back(offer);
                continue;
            }
            let own = state.expected(&offer);
            let joins = offers.is_empty() || own.is_some_and(|own| expected + own <= seconds);
            if !joins || offers.len() >= most.max(1) {
                state.offered.push_front(offer);
                break;
            }
            expected += own.unwrap_or_default();
            offers.push(offer);
            if own.is_none() {
                break;
            }
        }
        self.handed_out(&mut state, offers)
    }

    /// Whether replications wait that may end the worker which computes them.
    pub fn has_suspects(&self) -> bool {
        let state = self.state();
        state.suspects.iter().any(|offer| state.open.contains(&offer.item))
    }

    /// One of them as a batch of its own, with its number. It is for a worker that computes nothing else meanwhile:
    /// where that one ends, the suspect is to blame.
    pub fn take_suspect(&self) -> Option<(u64, Batch)> {
        let mut state = self.state();
        while let Some(offer) = state.suspects.pop_front() {
            if state.open.contains(&offer.item) {
                let trial = self.handed_out(&mut state, vec![offer]);
                state.trials.extend(trial.iter().map(|(number, _)| *number));
                return trial;
            }
        }
        None
    }

    fn handed_out(&self, state: &mut State, offers: Vec<Offer>) -> Option<(u64, Batch)> {
        let mut runs: Vec<ReplicationSet> = Vec::new();
        for offer in &offers {
            match runs.last_mut() {
                Some(run) if offer.joins(run) => run.replications.push(offer.item.index),
                _ => runs.push(offer.run()),
            }
        }
        if runs.is_empty() {
            return None;
        }
        state.numbers += 1;
        let number = state.numbers;
        state.batches.insert(number, offers);
        Some((number, Batch { identity: self.identity.clone(), runs }))
    }

    /// Takes the answers to a batch as they travelled; those of replications answered before are dropped. Returns whether
    /// they are answers to it: bytes that are something else change nothing, and the batch waits for others.
    pub fn deliver(&self, number: u64, bytes: &[u8]) -> bool {
        let mut guard = self.state();
        let state = &mut *guard;
        let Some(offers) = state.batches.get(&number) else { return true };
        let Some(answers) = read_answers(bytes).filter(|answers| answers.len() == offers.len()) else { return false };
        if !offers.iter().zip(&answers).all(|(offer, answer)| self.is_answered(offer, answer)) {
            return false;
        }
        let offers = state.batches.remove(&number).expect("it was there");
        for (offer, answer) in offers.iter().zip(&answers) {
            state.pace.entry(offer.item.point).or_default().add(answer.seconds);
            state.overall.add(answer.seconds);
        }
        state.answer(offers.iter().zip(answers).map(|(offer, answer)| (offer.item, answer.result)));
        self.changed.notify_all();
        true
    }

    /// Whether an answer is one to what was offered: a record under its key, or why there is none.
    fn is_answered(&self, offer: &Offer, answer: &Answer) -> bool {
        let key = Key {
            identity: &self.identity,
            scenario: &offer.subject.scenario,
            seed: offer.seed,
            replication: offer.item.index,
            warm_up_ps: offer.warm_up_ps,
            duration_ps: offer.duration_ps,
            traces: offer.traces,
        };
        let is_time = answer.seconds.is_finite() && answer.seconds >= 0.0;
        is_time && answer.result.as_ref().map_or(true, |entry| content(&key.name(), entry).is_some())
    }

    /// Offers what is not answered of a batch once more, before everything else: it was lost, or is late. An answer to
    /// the batch is still taken, if it comes first.
    pub fn offer_again(&self, number: u64) {
        let mut guard = self.state();
        let state = &mut *guard;
        let Some(offers) = state.batches.get(&number) else { return };
        for offer in offers.iter().rev().filter(|offer| state.open.contains(&offer.item)) {
            let queue = if state.deaths.contains_key(&offer.item) { &mut state.suspects } else { &mut state.offered };
            queue.push_front(offer.clone());
        }
    }

    /// The worker of a batch ended: each of its replications is a suspect from now on, though another batch on that worker
    /// may have ended it. One that was computed alone is given up after some workers, for the reason `why`.
    pub fn suspect(&self, number: u64, why: &str) {
        let mut guard = self.state();
        let state = &mut *guard;
        let Some(offers) = state.batches.remove(&number) else { return };
        let was_alone = state.trials.remove(&number);
        for offer in offers {
            if !state.open.contains(&offer.item) {
                continue;
            }
            let deaths =
                state.deaths.entry(offer.item).and_modify(|deaths| *deaths += u32::from(was_alone)).or_default();
            if *deaths < MOST_DEATHS {
                state.suspects.push_back(offer);
            } else {
                state.answer(std::iter::once((offer.item, Err(why.to_owned()))));
                self.changed.notify_all();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the exchange")
    }
}

impl State {
    /// Keeps answers to what is still open.
    fn answer(&mut self, answers: impl Iterator<Item = Arrival>) {
        for (item, result) in answers {
            if self.open.remove(&item) {
                self.arrived.push((item, result));
            }
        }
    }

    /// How long a replication may take, in seconds; unknown before the first was computed.
    fn expected(&self, offer: &Offer) -> Option<f64> {
        let own = self.pace.get(&offer.item.point).and_then(|pace| pace.mean());
        own.or_else(|| self.overall.mean().map(|mean| CAUTION * mean))
    }
}
