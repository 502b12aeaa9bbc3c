//! A search whose replications are computed elsewhere, like those of a
//! [`Computation`](crate::computation::Computation).
//!
//! [`Search::run`] asks for one value at a time and blocks until its answer. Where nothing may block, the search is
//! run again after each answer, with all answers known so far, and abandoned at the first unknown one: that value is
//! computed next.

use sojourn_model::Catalogue;
use sojourn_scenario::{Problem, Problems, Setting};

use crate::Build;
use crate::computation::Request;
use crate::evaluation::Evaluation;
use crate::limit::{Limit, Trial};
use crate::points::Point;
use crate::rounds::{Rounds, WorkItem, record_of};
use crate::search::{Asked, Search};
use crate::tried::Tried;

/// A search and what was computed of it.
pub struct Searching {
    search: Search,
    request: Request,
    build: Build,
    /// What each value gave, with the replications that were asked of it.
    known: Vec<(Setting, Option<u32>, Trial)>,
    tried: Tried,
    /// The value being computed.
    open: Option<Value>,
    limit: Option<Limit>,
    done: u32,
}

/// A value being computed.
struct Value {
    setting: Setting,
    replications: Option<u32>,
    point: Point,
    rounds: Rounds,
}

/// Replications to compute, of a run of one value.
#[derive(Debug, Default)]
pub struct Batch {
    /// What a worker opens to compute them; none where they are those of the last batch's run.
    pub request: Option<Request>,
    /// The replications; none when the search has ended or waits for others.
    pub items: Vec<WorkItem>,
}

impl Searching {
    /// Checks the request and what it asks; nothing is computed yet.
    pub fn open(catalogue: Catalogue, request: &Request, asked: &Asked, build: Build) -> Result<Searching, Problems> {
        let search = Search::new(request.base(catalogue)?, asked, &request.runs)?;
        if search.asks_of_risk() {
            let problem = Problem::plain("a rare event is searched for where its replications can wait for each other");
            return Err(problem.help("sojourn find FILE --until 'risk(...) < ...'").into());
        }
        let tried = Tried::new(&search);
        let (request, known) = (request.clone(), Vec::new());
        Ok(Searching { search, request, build, known, tried, open: None, limit: None, done: 0 })
    }

    /// The first replications to compute.
    pub fn begin(&mut self) -> Result<Batch, Problems> {
        let mut next = None;
        let limit = self.search.run(|setting, replications| {
            let same = |known: &&(Setting, Option<u32>, Trial)| known.0.text == setting.text && known.1 == replications;
            let known = self.known.iter().find(same).map(|(.., trial)| trial.clone());
            if known.is_none() {
                next = Some((setting.clone(), replications));
            }
            known
        });
        let Some((setting, replications)) = next else {
            self.limit = limit;
            return Ok(Batch::default());
        };
        let point = self.search.point(&setting, replications)?;
        let mut rounds = Rounds::new(0, point.spec.clone());
        let items = rounds.begin();
        let mut request = self.request.clone();
        request.set.push(format!("{}={}", self.search.axis().path, setting.text));
        self.open = Some(Value { setting, replications, point, rounds });
        Ok(Batch { request: Some(request), items })
    }

    /// Keeps the bytes that a replication gave, or why it failed; the replications to compute next.
    pub fn ended(&mut self, item: &WorkItem, result: Result<&[u8], &str>) -> Result<Batch, Problems> {
        let Some(mut value) = self.open.take() else { return Ok(Batch::default()) };
        self.done += 1;
        let record = record_of(&value.point.spec, &self.build.identity, item, result);
        let items = value.rounds.ended(*item, record);
        if !value.rounds.is_finished() {
            self.open = Some(value);
            return Ok(Batch { request: None, items });
        }
        let Value { setting, replications, point, rounds } = value;
        let finished = rounds.so_far();
        let trial = self.search.trial(&setting, &point, &finished);
        self.tried.keep(setting.json.as_f64(), point, finished);
        // as a search on a host: what cannot be computed ends it
        let Some(trial) = trial else { return Ok(Batch::default()) };
        self.known.push((setting, replications, trial));
        self.begin()
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
        self.search.expected()
    }

    /// The answer, once all is computed; none where a value could not be.
    pub fn limit(&self) -> Option<&Limit> {
        self.limit.as_ref()
    }

    /// What the values tried by now show; none before the first.
    pub fn evaluate(&self) -> Option<Evaluation> {
        let plan = self.tried.plan();
        (!plan.points.is_empty()).then(|| Evaluation::of(plan, self.tried.finished(), self.limit(), &self.build))
    }
}

#[cfg(test)]
mod tests {
    use sojourn_catalogue::NETWORKS;

    use super::*;
    use crate::computation::Computation;

    fn build() -> Build {
        Build { version: "0".into(), commit: "0".into(), identity: "test".into() }
    }

    fn request() -> Request {
        let text = NETWORKS.kinds().template("queue").unwrap();
        let set = vec!["run.duration=20 s".to_owned(), "run.warm_up=1 s".to_owned(), "run.replications=4".to_owned()];
        Request { name: "queue.toml".into(), text, set, ..Request::default() }
    }

    fn asked(until: &str) -> Asked {
        let vary = Some("flow.customers.arrivals.rate=10:95 /s".to_owned());
        Asked { vary, until: Some(until.to_owned()), ..Asked::default() }
    }

    /// Computes all that a search wants in workers of their own, the last of each batch first.
    fn computed(mut searching: Searching) -> Searching {
        let mut batch = searching.begin().unwrap();
        let mut worker = None;
        let mut waiting = Vec::new();
        loop {
            if let Some(request) = &batch.request {
                worker = Some(Computation::open(NETWORKS, request, build()).unwrap());
            }
            waiting.append(&mut batch.items);
            let Some(item) = waiting.pop() else { return searching };
            let record = worker.as_ref().unwrap().compute(&item);
            batch = searching.ended(&item, Ok(&record)).unwrap();
        }
    }

    #[test]
    fn a_search_in_batches_finds_what_one_that_waits_finds() {
        let searching =
            computed(Searching::open(NETWORKS, &request(), &asked("response_time.mean < 60 ms"), build()).unwrap());
        let limit = searching.limit().unwrap().clone();
        assert!(searching.is_finished());
        assert_eq!(limit.outcome, "found");
        assert!(searching.evaluate().unwrap().results_json.contains("response_time"));

        let search =
            Search::new(request().base(NETWORKS).unwrap(), &asked("response_time.mean < 60 ms"), &request().runs)
                .unwrap();
        let mut trials = 0;
        let waited = search.run(|setting, replications| {
            trials += 1;
            let point = search.point(setting, replications).ok()?;
            let mut rounds = Rounds::new(0, point.spec.clone());
            let mut items = rounds.begin();
            while let Some(item) = items.pop() {
                static NEVER: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
                let record = point.spec.model.replicate(point.spec.key("", item, false).replication(&NEVER));
                items.extend(rounds.ended(item, Ok(record)));
            }
            search.trial(setting, &point, &rounds.so_far())
        });
        assert_eq!(waited.as_ref(), Some(&limit));
        assert!(trials > 5);
    }

    #[test]
    fn a_search_ends_without_an_answer_where_a_value_cannot_be_computed() {
        let mut searching =
            Searching::open(NETWORKS, &request(), &asked("response_time.mean < 60 ms"), build()).unwrap();
        let batch = searching.begin().unwrap();
        for item in &batch.items {
            searching.ended(item, Err("the worker ended")).unwrap();
        }
        assert!(searching.is_finished() && searching.limit().is_none());
        assert_eq!(searching.evaluate().unwrap().failures.len(), 1);
    }
}
