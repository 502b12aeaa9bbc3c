//! An experiment whose replications are computed elsewhere: workers that share nothing but the [`Request`] compute
//! them, and one side merges their records.
//!
//! ```
//! use sojourn_experiment::computation::{Computation, Request};
//! use sojourn_catalogue::NETWORKS;
//! use sojourn_experiment::Build;
//!
//! let build = Build { version: "0.1.0".into(), commit: "unknown".into(), identity: "example".into() };
//! let text = NETWORKS.kinds().template("queue").unwrap();
//! let request = Request { name: "queue.toml".into(), text, ..Request::default() };
//! let mut merging = Computation::open(NETWORKS, &request, build.clone())?;
//! let computing = Computation::open(NETWORKS, &request, build)?;
//! let mut items = merging.begin();
//! while let Some(item) = items.pop() {
//!     items.extend(merging.ended(&item, Ok(&computing.compute(&item))));
//! }
//! assert!(merging.is_finished() && merging.evaluate().results_json.contains("response_time"));
//! # Ok::<(), sojourn_scenario::Problems>(())
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use sojourn_model::Catalogue;
use sojourn_scenario::Problems;

use crate::entry::encode;
use crate::evaluation::Evaluation;
use crate::plan::Plan;
use crate::points::{ScenarioBase, stem};
use crate::rounds::{PointResult, PointSpec, Rounds, WorkItem, record_of};
use crate::shown::{self, Curve, Frames};
use crate::{Build, Runs};

/// A run, or a sweep over some axes, of a document that is given whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// Name of the document, as `site.toml`: results have it without its ending.
    pub name: String,
    /// The document as written.
    pub text: String,
    /// The files that it names, with their texts: [`Document::files`].
    pub files: BTreeMap<String, String>,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Axes, each `KEY=50:500:50 /s` or `KEY=a,b`; the first is the slowest.
    pub over: Vec<String>,
    /// Seed and replications in place of the scenario's.
    pub runs: Runs,
}

impl Request {
    /// The document with its overrides.
    pub fn base(&self, catalogue: Catalogue) -> Result<ScenarioBase, Problems> {
        let document = catalogue.kinds().parse_with(&self.name, &self.text, self.files.clone())?;
        ScenarioBase::new(catalogue, document, stem(Path::new(&self.name))).with(&self.set, &self.runs)
    }
}

/// The points of a request and what was computed of them.
pub struct Computation {
    plan: Plan,
    rounds: Vec<Rounds>,
    build: Build,
    done: u32,
}

impl Computation {
    /// Checks the request; nothing is computed yet.
    pub fn open(catalogue: Catalogue, request: &Request, build: Build) -> Result<Computation, Problems> {
        let plan = Plan::of(request.base(catalogue)?, &request.over, &request.runs)?;
        let specs = plan.points.iter().map(|point| point.spec.clone());
        let rounds = specs.enumerate().map(|(position, spec)| Rounds::new(position, spec)).collect();
        Ok(Computation { plan, rounds, build, done: 0 })
    }

    /// The points to run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Number of replications that have ended.
    pub fn done(&self) -> u32 {
        self.done
    }

    /// The first replications to compute.
    pub fn begin(&mut self) -> Vec<WorkItem> {
        self.rounds.iter_mut().flat_map(Rounds::begin).collect()
    }

    /// Computes a replication: its record as bytes.
    pub fn compute(&self, item: &WorkItem) -> Vec<u8> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let spec = self.spec(item);
        let key = spec.key(&self.build.identity, *item, false);
        encode(&key, &spec.model.replicate(key.replication(&NEVER)))
    }

    /// What a replication shows over time.
    pub fn course(&self, item: &WorkItem) -> Vec<Curve> {
        shown::course(self.spec(item), item)
    }

    /// The frames of a replication; none of a network without frames.
    pub fn frames(&self, item: &WorkItem) -> Option<Frames> {
        shown::frames(self.spec(item), item)
    }

    /// Keeps the bytes that a replication gave, or why it failed; the replications to compute next.
    pub fn ended(&mut self, item: &WorkItem, result: Result<&[u8], &str>) -> Vec<WorkItem> {
        self.done += 1;
        let record = record_of(self.spec(item), &self.build.identity, item, result);
        self.rounds[item.point].ended(*item, record)
    }

    /// Whether nothing is left to compute.
    pub fn is_finished(&self) -> bool {
        self.rounds.iter().all(Rounds::is_finished)
    }

    /// What the replications show that have ended by now, without gaps.
    pub fn evaluate(&self) -> Evaluation {
        let so_far: Vec<PointResult> = self.rounds.iter().map(Rounds::so_far).collect();
        Evaluation::of(&self.plan, &so_far, None, &self.build)
    }

    fn spec(&self, item: &WorkItem) -> &PointSpec {
        &self.plan.points[item.point].spec
    }
}
