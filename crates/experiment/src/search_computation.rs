//! A search whose replications are computed elsewhere, like those of a
//! [`Computation`](crate::computation::Computation). Workers that open a [`Request`] compute replications of a
//! scenario, and no copies of them: a rare event is not searched for here.

use sojourn_model::Catalogue;
use sojourn_scenario::{Problem, Problems};

use crate::Build;
use crate::computation::Request;
use crate::evaluation::Evaluation;
use crate::limit::Limit;
use crate::rate_condition::RateCondition;
use crate::rounds::{Rounds, Step, WorkItem, record_of};
use crate::search::{Search, SearchRequest};
use crate::searching::Searching;

/// A search, and the replications of the point that it wants.
pub struct SearchComputation {
    searching: Searching,
    request: Request,
    build: Build,
    open: Option<Rounds>,
    done: u32,
}

/// Replications to compute, of one point.
#[derive(Debug, Default)]
pub struct Batch {
    /// What a worker opens to compute them; none where they are those of the last batch's point.
    pub request: Option<Request>,
    /// The replications; none when the search has ended or waits for others.
    pub items: Vec<WorkItem>,
}

impl SearchComputation {
    /// Checks the request and what it asks; nothing is computed yet.
    pub fn open(
        catalogue: Catalogue,
        request: &Request,
        asked: &SearchRequest,
        build: Build,
    ) -> Result<SearchComputation, Problems> {
        if asked.until.as_deref().and_then(RateCondition::read).is_some() {
            let problem = Problem::plain("a page cannot estimate how often a rare event occurs");
            return Err(problem.help("sojourn find FILE --until 'risk(...) < ...'").into());
        }
        let search = Search::new(request.base(catalogue)?, asked, &request.runs)?;
        let (searching, request) = (Searching::new(search), request.clone());
        Ok(SearchComputation { searching, request, build, open: None, done: 0 })
    }

    /// The first replications to compute.
    pub fn begin(&mut self) -> Result<Batch, Problems> {
        let step = self.searching.begin()?;
        Ok(self.follow(step))
    }

    /// Keeps the bytes that a replication gave, or why it failed; the replications to compute next.
    pub fn ended(&mut self, item: &WorkItem, result: Result<&[u8], &str>) -> Result<Batch, Problems> {
        let Some(rounds) = &mut self.open else { return Ok(Batch::default()) };
        self.done += 1;
        let record = record_of(rounds.spec(), &self.build.identity, item, result);
        let items = rounds.ended(*item, record);
        if !rounds.is_finished() {
            return Ok(Batch { request: None, items });
        }
        let finished = rounds.so_far();
        self.open = None;
        let step = self.searching.ended(finished)?;
        Ok(self.follow(step))
    }

    /// Whether nothing is left to compute.
    pub fn is_finished(&self) -> bool {
        self.open.is_none()
    }

    /// Number of replications that have ended.
    pub fn done(&self) -> u32 {
        self.done
    }

    /// Number of replications that are computed, about: the search ends where it knows enough.
    pub fn expected(&self) -> u64 {
        self.searching.search().expected()
    }

    /// The answer, once all is computed; none where a value could not be.
    pub fn limit(&self) -> Option<&Limit> {
        self.searching.limit()
    }

    /// What the values tried by now show; none before the first.
    pub fn evaluate(&self) -> Option<Evaluation> {
        self.searching.evaluate(&self.build)
    }

    fn follow(&mut self, step: Option<Step>) -> Batch {
        let Some(step) = step else { return Batch::default() };
        let mut rounds = Rounds::new(0, step.spec);
        let items = rounds.begin();
        let mut request = self.request.clone();
        request.set.extend(self.searching.override_of_value());
        self.open = Some(rounds);
        Batch { request: Some(request), items }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use sojourn_catalogue::NETWORKS;

    use super::*;
    use crate::computation::Computation;
    use crate::rounds::{PointResult, PointSpec};

    fn build() -> Build {
        Build { version: "0".into(), commit: "0".into(), identity: "test".into() }
    }

    fn request() -> Request {
        let text = NETWORKS.kinds().template("queue").unwrap();
        let set = vec!["run.duration=20 s".to_owned(), "run.warm_up=1 s".to_owned(), "run.replications=4".to_owned()];
        Request { name: "queue.toml".into(), text, set, ..Request::default() }
    }

    fn asked(until: &str) -> SearchRequest {
        let vary = Some("flow.customers.arrivals.rate=10:95 /s".to_owned());
        SearchRequest { vary, until: Some(until.to_owned()), ..SearchRequest::default() }
    }

    /// Computes all that a search wants in workers of their own, the last of each batch first.
    fn elsewhere(asked: &SearchRequest) -> SearchComputation {
        let mut search = SearchComputation::open(NETWORKS, &request(), asked, build()).unwrap();
        let mut batch = search.begin().unwrap();
        let mut worker = None;
        let mut waiting = Vec::new();
        loop {
            if let Some(request) = &batch.request {
                worker = Some(Computation::open(NETWORKS, request, build()).unwrap());
            }
            waiting.append(&mut batch.items);
            let Some(item) = waiting.pop() else { return search };
            let record = worker.as_ref().unwrap().compute(&item);
            batch = search.ended(&item, Ok(&record)).unwrap();
        }
    }

    /// Computes all that a search wants here, point by point, as a host does: the answer, and how many points it took.
    fn here(asked: &SearchRequest) -> (Option<Limit>, u32) {
        let search = Search::new(request().base(NETWORKS).unwrap(), asked, &request().runs).unwrap();
        let mut searching = Searching::new(search);
        let (mut step, mut points) = (searching.begin().unwrap(), 0);
        while let Some(Step { spec, .. }) = step {
            points += 1;
            step = searching.ended(computed(&spec)).unwrap();
        }
        (searching.into_parts().1, points)
    }

    fn computed(spec: &PointSpec) -> PointResult {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let mut rounds = Rounds::new(0, spec.clone());
        let mut items = rounds.begin();
        while let Some(item) = items.pop() {
            let record = spec.model.replicate(spec.key("", item, false).replication(&NEVER));
            items.extend(rounds.ended(item, Ok(record)));
        }
        rounds.finished().unwrap()
    }

    #[test]
    fn workers_find_what_a_host_finds() {
        let asked = asked("response_time.mean < 60 ms");
        let search = elsewhere(&asked);
        let limit = search.limit().unwrap();
        assert!(search.is_finished());
        assert_eq!(limit.outcome, "found");
        assert!(search.evaluate().unwrap().results_json.contains("response_time"));
        let (waited, points) = here(&asked);
        assert_eq!(waited.as_ref(), Some(limit));
        assert!(points > 5);
    }

    #[test]
    fn a_rare_event_is_refused_with_the_command_that_searches_for_it() {
        let refused = SearchComputation::open(NETWORKS, &request(), &asked("risk(queue_length > 9) < 1 /day"), build());
        let help = refused.err().unwrap().0[0].help.clone();
        assert_eq!(help.as_deref(), Some("sojourn find FILE --until 'risk(...) < ...'"));
    }

    #[test]
    fn a_search_ends_without_an_answer_where_a_value_cannot_be_computed() {
        let asked = asked("response_time.mean < 60 ms");
        let mut search = SearchComputation::open(NETWORKS, &request(), &asked, build()).unwrap();
        let batch = search.begin().unwrap();
        for item in &batch.items {
            search.ended(item, Err("the worker ended")).unwrap();
        }
        assert!(search.is_finished() && search.limit().is_none());
        assert_eq!(search.evaluate().unwrap().failures.len(), 1);
    }
}
