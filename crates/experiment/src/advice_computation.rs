//! Advice whose replications are computed elsewhere, one alternative after the other, like those of a
//! [`SearchComputation`](crate::search_computation::SearchComputation).

use sojourn_model::Catalogue;
use sojourn_scenario::Problems;

use crate::Build;
use crate::advice::{AdviceRequest, Advising};
use crate::computation::Request;
use crate::evaluation::Evaluation;
use crate::rounds::{PointResult, Rounds, Step, WorkItem, record_of};
use crate::search_computation::Batch;

/// A comparison, and the replications of the alternative that it wants.
pub struct AdviceComputation {
    advising: Advising,
    request: Request,
    build: Build,
    /// The points of this stage, and what the first of them gave.
    steps: Vec<Step>,
    finished: Vec<PointResult>,
    open: Option<Rounds>,
    done: u32,
}

impl AdviceComputation {
    /// Checks the request and what it asks; nothing is computed yet.
    pub fn open(
        catalogue: Catalogue,
        request: &Request,
        asked: &AdviceRequest,
        build: Build,
    ) -> Result<AdviceComputation, Problems> {
        let advising = Advising::new(request.base(catalogue)?, asked, &request.runs)?;
        let (steps, finished, open, done) = (Vec::new(), Vec::new(), None, 0);
        Ok(AdviceComputation { advising, request: request.clone(), build, steps, finished, open, done })
    }

    /// The first replications to compute.
    pub fn begin(&mut self) -> Batch {
        self.steps = self.advising.begin();
        self.follow()
    }

    /// Keeps the bytes that a replication gave, or why it failed; the replications to compute next.
    pub fn ended(&mut self, item: &WorkItem, result: Result<&[u8], &str>) -> Batch {
        let Some(rounds) = &mut self.open else { return Batch::default() };
        self.done += 1;
        let record = record_of(rounds.spec(), &self.build.identity, item, result);
        let items = rounds.ended(*item, record);
        if !rounds.is_finished() {
            return Batch { request: None, items };
        }
        self.finished.push(rounds.so_far());
        self.open = None;
        if self.finished.len() == self.steps.len() {
            self.steps = self.advising.ended(std::mem::take(&mut self.finished));
        }
        self.follow()
    }

    /// Whether nothing is left to compute.
    pub fn is_finished(&self) -> bool {
        self.open.is_none()
    }

    /// Number of replications that have ended.
    pub fn done(&self) -> u32 {
        self.done
    }

    /// Replications that are expected at first.
    pub fn expected(&self) -> u64 {
        self.advising.expected()
    }

    /// What the alternatives show by now, and the answer once there is one; none before the first replications.
    pub fn evaluate(&self) -> Option<Evaluation> {
        self.advising.evaluate(&self.build)
    }

    /// Begins the next point of this stage.
    fn follow(&mut self) -> Batch {
        let position = self.finished.len();
        let Some(step) = self.steps.get(position) else { return Batch::default() };
        let mut rounds = Rounds::new(0, step.spec.clone());
        let items = rounds.begin();
        let mut request = self.request.clone();
        request.set.extend(self.advising.overrides(position));
        self.open = Some(rounds);
        Batch { request: Some(request), items }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_catalogue::NETWORKS;
    use sojourn_metrics::results::Results;

    use super::*;
    use crate::computation::Computation;

    #[test]
    fn workers_select_what_a_host_selects() {
        let build = || Build { version: "0".into(), commit: "0".into(), identity: "test".into() };
        let text = NETWORKS.kinds().template("queue").unwrap();
        let set = vec!["run.duration=20 s".to_owned(), "run.warm_up=1 s".to_owned()];
        let request = Request { name: "queue.toml".into(), text, set, ..Request::default() };
        let asked = AdviceRequest {
            options: vec![
                "faster: station.server.service.mean=8 ms".into(),
                "slower: station.server.service.mean=11 ms".into(),
            ],
            by: Some("response_time.mean".into()),
            ..AdviceRequest::default()
        };
        let mut advice = AdviceComputation::open(NETWORKS, &request, &asked, build()).unwrap();
        let mut batch = advice.begin();
        let (mut worker, mut waiting) = (None, Vec::new());
        loop {
            if let Some(request) = &batch.request {
                worker = Some(Computation::open(NETWORKS, request, build()).unwrap());
            }
            waiting.append(&mut batch.items);
            let Some(item) = waiting.pop() else { break };
            let record = worker.as_ref().unwrap().compute(&item);
            batch = advice.ended(&item, Ok(&record));
        }
        assert!(advice.is_finished());
        let results: Results = serde_json::from_str(&advice.evaluate().unwrap().results_json).unwrap();
        let found = results.advice.unwrap();
        assert_eq!((found.outcome.as_str(), found.selected), ("selected", Some(1)));
        assert_eq!(u64::from(advice.done()), found.replications);
    }
}
