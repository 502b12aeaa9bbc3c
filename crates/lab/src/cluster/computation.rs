//! Computes a batch on a worker.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration as WallDuration, Instant};

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::entry::encode;
use sojourn_experiment::points::reproducible;
use sojourn_model::Model;
use sojourn_scenario::{Problems, check};

use super::batch::{Answer, Batch, ReplicationSet, write_answers};
use crate::{fault, network_of};

/// Models that a worker keeps, those of the scenarios it computed last.
const KEPT_MODELS: usize = 32;

/// Why a batch is not computed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is for another build, whose fingerprint this is.
    Build(String),
    /// The text does not describe a batch.
    Unreadable(String),
}

/// A batch being computed on a thread of its own, until it is dropped.
#[derive(Debug)]
pub struct Computation {
    cancelled: Arc<AtomicBool>,
    ended: Mutex<Receiver<Vec<u8>>>,
    answers: OnceLock<Vec<u8>>,
}

impl Computation {
    /// Starts on the batch in `text`, if it is for the build `identity`.
    pub fn start(text: &str, identity: &str) -> Result<Computation, Refusal> {
        let batch: Batch = serde_json::from_str(text).map_err(|fault| Refusal::Unreadable(fault.to_string()))?;
        if batch.identity != identity {
            return Err(Refusal::Build(batch.identity));
        }
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, ended) = channel();
        let stop = cancelled.clone();
        std::thread::spawn(move || {
            let answers: Vec<Answer> = batch.runs.iter().flat_map(|run| compute(run, &batch.identity, &stop)).collect();
            // what was abandoned means nothing, and a computation that was dropped has no receiver
            if !stop.load(Ordering::Relaxed) {
                let _ = sender.send(write_answers(&answers));
            }
        });
        Ok(Computation { cancelled, ended: Mutex::new(ended), answers: OnceLock::new() })
    }

    /// Waits at most so long; whether it has ended.
    pub fn wait(&self, at_most: WallDuration) -> bool {
        let ended = self.ended.lock().expect("no thread panics while it waits");
        if self.answers.get().is_some() {
            return true;
        }
        match ended.recv_timeout(at_most) {
            // only the holder of the lock sets it
            Ok(answers) => self.answers.set(answers).is_ok(),
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        }
    }

    /// Abandons it; it ends within a moment.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Its answers as they travel, once it has ended; none of one that was abandoned.
    pub fn answers(&self) -> Option<&[u8]> {
        self.answers.get().map(Vec::as_slice)
    }
}

impl Drop for Computation {
    /// One that is dropped is abandoned.
    fn drop(&mut self) {
        self.cancel();
    }
}

fn compute(run: &ReplicationSet, identity: &str, cancelled: &AtomicBool) -> Vec<Answer> {
    let model = match model(run) {
        Ok(model) => model,
        Err(message) => {
            let failed = || Answer { result: Err(message.clone()), seconds: 0.0 };
            return run.replications.iter().map(|_| failed()).collect();
        }
    };
    let answer = |&replication: &u32| {
        let began = Instant::now();
        let key = run.key(identity, replication);
        let result = match cancelled.load(Ordering::Relaxed) {
            true => Err("abandoned".to_owned()),
            false => fault::catch(|| model.replicate(key.replication(cancelled))).map(|record| encode(&key, &record)),
        };
        Answer { result, seconds: began.elapsed().as_secs_f64() }
    };
    run.replications.iter().map(answer).collect()
}

/// The model of a scenario, kept from an earlier batch or made from the document.
fn model(run: &ReplicationSet) -> Result<Arc<dyn Model>, String> {
    static KEPT: Mutex<VecDeque<(String, Arc<dyn Model>)>> = Mutex::new(VecDeque::new());
    let kept = || KEPT.lock().expect("no thread panics while it holds the models");
    if let Some((_, model)) = kept().iter().find(|(scenario, _)| *scenario == run.scenario) {
        return Ok(model.clone());
    }
    let model = made(run).unwrap_or_else(|problems| Err(format!("the scenario does not read back: {problems}")))?;
    let mut kept = kept();
    kept.truncate(KEPT_MODELS - 1);
    kept.push_front((run.scenario.clone(), model.clone()));
    Ok(model)
}

fn made(run: &ReplicationSet) -> Result<Result<Arc<dyn Model>, String>, Problems> {
    let scenario = check(&NETWORKS.kinds().parse("scenario.toml", &run.document)?)?;
    if reproducible(&scenario) != run.scenario {
        return Ok(Err("the scenario reads back as another one on this worker".to_owned()));
    }
    Ok(Ok(Arc::from(network_of(&scenario).model(&scenario)?)))
}
