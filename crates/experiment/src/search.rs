//! The search for the limit of a key up to which conditions are met: its values, trials and budget.

use std::collections::BTreeMap;

use serde::Deserialize;
use sojourn_engine::stopping::StoppingRule;
use sojourn_metrics::interval::Interval;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::registry;
use sojourn_metrics::results::{self, Metric, Stability};
use sojourn_model::{Information, Network};
use sojourn_scenario::{Axis, Expectation, Problem, Problems, Scenario, Setting, Vary, check};

use crate::Runs as RunSettings;
use crate::bisection::{Bracket, Budget, invert};
use crate::claim::{World, none_seen};
use crate::condition::{refuse_unsampled, refuse_wrong_expectations};
use crate::evaluation::result_of;
use crate::groups::Groups;
use crate::limit::{Capacity, Condition, Limit, Load, Narrower, Runs, Trial};
use crate::points::{Point, ScenarioBase};
use crate::rate_condition::RateCondition;
use crate::rounds::PointResult;
use crate::stability;
use crate::verdict::{Judgement, Verdict, judge, runs_that_hold};
#[cfg(feature = "rare")]
use crate::{points::with_values, risk};

/// A range without whole steps of its own is searched in this many.
const STEPS: u64 = 500;

/// A search simulates this many times the replications of one value, unless it is given a budget.
const BUDGET: u64 = 40;

/// More replications are proposed to divide the width of an interval by this.
const NARROWER: f64 = 4.0;

/// No proposal asks for more replications.
const MOST_PROPOSED: u32 = 1000;

/// What a search is asked for, beside its scenario.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// The key that varies and its range, `KEY=LOW:HIGH UNIT`; without it, that of the scenario's `[question]`.
    pub vary: Option<String>,
    /// The condition, `response_time.p99 < 20 ms` or `risk(failures > 0) < 1 /year`; without it, all of the scenario's
    /// `[expect]`.
    pub until: Option<String>,
    /// A value of the key to judge in addition to the limit.
    pub ask: Option<String>,
    /// Replications of all values together, at most; 40 times those of one value when absent.
    pub budget: Option<u64>,
}

/// A search that can begin.
pub struct Search {
    base: ScenarioBase,
    axis: Axis,
    vary: Vary,
    last: u64,
    until: Vec<Expectation>,
    /// The condition where it is about a rare event; then there is no other.
    risk: Option<RateCondition>,
    question: Option<String>,
    written: Option<Setting>,
    asked: Option<Setting>,
    network: &'static dyn Network,
    seed: u64,
    /// Replications of each value at first.
    replications: u32,
    /// Replications of all values together, where the request limits them.
    total: Option<u64>,
    runs: RunSettings,
}

impl Search {
    /// Reads the request, or what the scenario itself asks, and checks both ends of the range.
    pub fn new(base: ScenarioBase, request: &Asked, runs: &RunSettings) -> Result<Search, Problems> {
        let scenario = check(&base.document)?;
        let network = base.network();
        refuse_wrong_expectations(&scenario, network.information())?;
        // another key is another question
        let own = scenario.question().filter(|_| request.vary.is_none());
        let argument =
            request.vary.as_deref().or(own.map(|question| question.vary)).ok_or_else(|| {
                Problem::plain("find needs --vary 'KEY=LOW:HIGH UNIT', or a [question] in the scenario")
            })?;
        let vary = base.document.vary(argument)?;
        let last = vary.steps_whole().unwrap_or(STEPS);
        if last == 0 {
            return Err(Problem::argument(argument, 0..argument.len(), "this range holds one value").into());
        }
        let asked = match (&request.ask, own.and_then(|question| question.asked)) {
            (Some(value), _) => Some(base.document.setting(&vary.path, value, &format!("--ask {value}"))?),
            (None, Some(value)) => Some(base.document.setting(&vary.path, value, value)?),
            (None, None) => None,
        };
        let risk = request.until.as_deref().and_then(RateCondition::read).transpose()?;
        let search = Search {
            axis: Axis { path: vary.path.clone(), unit: Some(vary.si), values: Vec::new() },
            until: if risk.is_some() { Vec::new() } else { conditions(request, &scenario, network.information())? },
            risk,
            // its text is about the scenario's own value
            question: own.filter(|_| request.ask.is_none()).and_then(|question| question.text).map(str::to_owned),
            // a value to judge is compared with the one written
            written: if asked.is_some() { base.document.written(&vary.path)? } else { None },
            network,
            seed: scenario.run().seed,
            replications: scenario.run().replications,
            total: request.budget,
            runs: runs.clone(),
            base,
            vary,
            last,
            asked,
        };
        for setting in [search.setting(0)?, search.setting(last)?].iter().chain(&search.asked) {
            search.point(setting, None)?;
            #[cfg(feature = "rare")]
            search.risk(setting)?;
        }
        Ok(search)
    }

    /// The key's row in the results' axes.
    pub fn axis(&self) -> &Axis {
        &self.axis
    }

    /// Name of the scenario.
    pub fn name(&self) -> &str {
        &self.base.experiment
    }

    /// Its network.
    pub fn network(&self) -> &'static dyn Network {
        self.network
    }

    /// Seed of its random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Replications of all values together, at most; those of one value where a precision decides.
    pub fn expected(&self) -> u64 {
        self.budget().total.unwrap_or(u64::from(self.replications))
    }

    /// The point at a value of the key, with this many replications or those asked for.
    pub fn point(&self, setting: &Setting, replications: Option<u32>) -> Result<Point, Problems> {
        let mut point = self.base.point(&[(&self.axis, setting)], &self.runs)?;
        if let Some(replications) = replications {
            point.spec.rule = StoppingRule::Fixed(replications);
        }
        Ok(point)
    }

    /// The rare event to estimate at a value of the key; `None` where the conditions are about metrics.
    #[cfg(feature = "rare")]
    pub fn risk(&self, setting: &Setting) -> Result<Option<risk::Risk>, Problems> {
        let Some(condition) = &self.risk else { return Ok(None) };
        let document = with_values(&self.base.document, &[(&self.axis, setting)])?;
        let base = ScenarioBase::new(self.base.catalogue, document, self.base.experiment.clone());
        let asked = risk::Asked { of: condition.of.clone(), within: None, goal: Some(condition.limit) };
        risk::Risk::new(base, &asked, &self.runs).map(Some)
    }

    /// Whether the condition is about a rare event.
    pub fn asks_of_risk(&self) -> bool {
        self.risk.is_some()
    }

    /// Judges the rate of the rare event that [`Search::risk`] gave, by the interval that decides.
    pub fn judge_risk(&self, setting: &Setting, rate: Option<f64>, interval: Interval) -> Trial {
        Trial::new(setting, self.risk.iter().map(|condition| condition.judge(rate, interval)).collect(), None)
    }

    /// Whether each value decides its number of replications by what they show.
    fn decides_itself(&self) -> bool {
        self.runs.precision.is_some() || self.risk.is_some()
    }

    /// What a value gave; `None` where it could not be computed.
    pub fn trial(&self, setting: &Setting, point: &Point, finished: &PointResult) -> Option<Trial> {
        if let Some(stability) = &finished.unsettled {
            return Some(self.unsettled(setting, stability));
        }
        let world = World::Simulated { ends_with_its_probes: self.network.information().ends_with_its_probes };
        let trial = self.judge(setting, &result_of(point, finished), &finished.records, world);
        finished.failure.is_none().then_some(trial)
    }

    /// Judges a point and its replications by the conditions.
    pub fn judge(&self, setting: &Setting, point: &results::Point, records: &[Record], world: World) -> Trial {
        let metrics = &point.metrics;
        let said = self.until.iter().map(|condition| Condition {
            text: condition.text.clone(),
            metric: condition.metric.clone(),
            field: condition.field.clone(),
            unit: registry::find(&condition.metric).map_or("1", |information| information.unit),
            limit: condition.value,
            unseen: none_seen(condition, point, records, world),
            groups: groups(condition, metrics, records),
            judgement: stability::of_search(condition, judge(condition, metrics), point, records),
        });
        let by_condition: Option<Vec<Vec<bool>>> =
            self.until.iter().map(|condition| runs_that_hold(condition, metrics)).collect();
        // runs that have not seen what comes later do not count
        let is_overloaded = stability::overloaded(&point.stability).is_some();
        let runs = by_condition.filter(|_| !is_overloaded).and_then(|holds| Runs::count(&holds));
        Trial { load: Load::of(&point.stability), ..Trial::new(setting, said.collect(), runs) }
    }

    /// What a value shows that has not settled, by the pilots that were to find its warm-up: it misses the conditions where more
    /// arrives than is served, and is undecided else.
    fn unsettled(&self, setting: &Setting, stability: &[Stability]) -> Trial {
        let nothing = BTreeMap::new();
        let said = self.until.iter().map(|condition| {
            let unknown = Judgement { verdict: Verdict::Undecided, ..judge(condition, &nothing) };
            Condition {
                text: condition.text.clone(),
                metric: condition.metric.clone(),
                field: condition.field.clone(),
                unit: registry::find(&condition.metric).map_or("1", |information| information.unit),
                limit: condition.value,
                unseen: None,
                groups: None,
                judgement: stability::corrected(condition, unknown, stability),
            }
        });
        Trial { load: Load::of(stability), ..Trial::new(setting, said.collect(), None) }
    }

    /// Tries the value to judge and the one written, then searches; `None` when a point failed or was cancelled.
    ///
    /// `trial` simulates a value, with the given number of replications unless a precision decides the number.
    pub fn run(&self, mut trial: impl FnMut(&Setting, Option<u32>) -> Option<Trial>) -> Option<Limit> {
        let mut tried: Vec<(Setting, Option<u32>, Trial)> = Vec::new();
        let mut attempt = |setting: &Setting, replications: Option<u32>| {
            let same = |known: &&(Setting, Option<u32>, Trial)| {
                known.0.json.as_f64() == setting.json.as_f64() && known.1 >= replications
            };
            if let Some((.., known)) = tried.iter().find(same) {
                return Some(known.clone());
            }
            let result = trial(setting, replications)?;
            tried.retain(|(known, ..)| known.json.as_f64() != setting.json.as_f64());
            tried.push((setting.clone(), replications, result.clone()));
            Some(result)
        };
        let budget = self.budget();
        let wanted = |replications| (!self.decides_itself()).then_some(replications);
        let first = wanted(budget.first);
        let mut other = |setting: &Option<Setting>| match setting {
            Some(setting) => attempt(setting, first).map(Some),
            None => Some(None),
        };
        let (mut asked, written) = (other(&self.asked)?, other(&self.written)?);
        let bracket = invert(self.last, budget, |step, replications| {
            Some(attempt(&self.setting(step).ok()?, wanted(replications))?.step())
        })?;
        let found = match bracket {
            Bracket::Within { estimate, .. } => attempt(&self.setting(estimate).ok()?, first),
            _ => None,
        };
        if let (Bracket::Within { replications, .. }, Some(setting)) = (bracket, &self.asked)
            && asked.as_ref().is_some_and(|trial| trial.verdict == Verdict::Undecided)
        {
            // the question deserves as many replications as its neighbours got
            asked = Some(attempt(setting, wanted(replications))?);
        }
        let texts = self.until.iter().map(|condition| condition.text.as_str());
        let text = texts.chain(self.risk.iter().map(|risk| risk.text.as_str())).collect::<Vec<_>>().join(" and ");
        let question = self.question.clone();
        let limit = Limit { question, asked, written, found, ..Limit::new(&self.axis, text, tried.len()) };
        let mut limit = self.placed(bracket, limit);
        limit.within(self.capacity(&tried, limit.direction));
        limit.trials = tried.iter().map(|(.., trial)| trial.clone()).collect();
        limit.trials.sort_by(|one, other| one.value.unwrap_or(0.0).total_cmp(&other.value.unwrap_or(0.0)));
        if let Some(end) = self.end_that_meets(bracket) {
            let there = tried.iter().find(|(setting, ..)| setting.json.as_f64() == self.si(end));
            limit.unseen = there.and_then(|(.., trial)| trial.unseen());
        }
        limit.open_where_unseen();
        Some(limit)
    }

    /// The value at which the demand for a resource reaches what it serves, by the demands of the values tried.
    fn capacity(&self, tried: &[(Setting, Option<u32>, Trial)], direction: Option<&str>) -> Option<Capacity> {
        let loads: Vec<(f64, &Load)> =
            tried.iter().filter_map(|(.., trial)| Some((trial.value?, trial.load.as_ref()?))).collect();
        let (_, beyond) = *loads
            .iter()
            .filter(|(_, load)| load.demand >= 1.0)
            .min_by(|(_, one), (_, other)| one.demand.total_cmp(&other.demand))?;
        let same = loads.iter().filter(|(_, load)| load.resource == beyond.resource);
        let demands: Vec<(f64, f64)> = same.map(|(value, load)| (*value, load.demand)).collect();
        let value = stability::crossing(&demands, direction != Some("smallest"))?;
        Some(Capacity { value, value_text: self.vary.text_of(value), load: beyond.clone() })
    }

    /// Replications of each value at first, and of all.
    fn budget(&self) -> Budget {
        let first = self.replications;
        // a precision decides the number of replications itself: every value is tried once
        let total = (!self.decides_itself()).then(|| self.total.unwrap_or(BUDGET * u64::from(first)));
        Budget { first, total, asked: self.step_of(self.asked.as_ref()) }
    }

    /// The step at which a value lies; `None` where it lies between two.
    fn step_of(&self, setting: Option<&Setting>) -> Option<u64> {
        let (value, low, high) = (setting?.json.as_f64()?, self.si(0)?, self.si(self.last)?);
        let step = (value - low) / (high - low) * self.last as f64;
        let nearest = step.round();
        ((step - nearest).abs() < 1e-6 && (0.0..=self.last as f64).contains(&nearest)).then_some(nearest as u64)
    }

    /// The last step that meets the conditions.
    fn end_that_meets(&self, bracket: Bracket) -> Option<u64> {
        match bracket {
            Bracket::Always => Some(self.last),
            Bracket::Never => None,
            Bracket::Within { met, .. } => met,
        }
    }

    /// The limit with what the search found.
    fn placed(&self, bracket: Bracket, mut limit: Limit) -> Limit {
        match bracket {
            Bracket::Always => limit.outcome = "always",
            Bracket::Never => limit.outcome = "never",
            Bracket::Within { met, missed, estimate, largest, replications } => {
                // of whole numbers the first that is missed is not the answer
                let whole = u64::from(self.vary.steps_whole().is_some());
                let ends = match largest {
                    true => [met, missed.map(|step| step - whole)],
                    false => [missed.map(|step| step + whole), met],
                };
                limit.outcome = if met.is_some() && missed.is_some() { "found" } else { "undecided" };
                limit.direction = Some(if largest { "largest" } else { "smallest" });
                limit.value = self.si(estimate);
                limit.value_text = Some(self.text(estimate));
                limit.interval = ends.map(|step| step.and_then(|step| self.si(step)));
                limit.interval_text = ends.map(|step| step.map(|step| self.text(step)));
                limit.replications = replications;
                limit.narrower = self.narrower(&limit.interval, replications);
            }
        }
        limit
    }

    /// How many replications would make an interval of more than two steps much narrower.
    fn narrower(&self, interval: &[Option<f64>; 2], replications: u32) -> Option<Narrower> {
        let (ends, range) = ([self.si(0)?, self.si(self.last)?], (self.si(self.last)? - self.si(0)?).abs());
        let (low, high) = (interval[0].unwrap_or(ends[0].min(ends[1])), interval[1].unwrap_or(ends[0].max(ends[1])));
        let (width, step) = (high - low, range / self.last as f64);
        if width <= 2.0 * step || self.decides_itself() {
            return None;
        }
        let more = (f64::from(replications) * NARROWER * NARROWER).min(f64::from(MOST_PROPOSED));
        let narrowed = width * (f64::from(replications) / more).sqrt();
        let width = if self.vary.steps_whole().is_some() { narrowed.ceil() } else { narrowed };
        (more > f64::from(replications)).then_some(Narrower { replications: more as u32, width: width.max(step) })
    }

    fn setting(&self, step: u64) -> Result<Setting, Problems> {
        let text = self.text(step);
        self.base.document.setting(&self.axis.path, &text, &format!("{}={text}", self.axis.path))
    }

    fn si(&self, step: u64) -> Option<f64> {
        self.setting(step).ok()?.json.as_f64()
    }

    /// The value at a step, with its unit.
    fn text(&self, step: u64) -> String {
        self.vary.at(step, self.last)
    }
}

/// The groups of the replications' values of a condition's field. A mean rests on the samples that a p90 does, the
/// largest and the smallest on one each.
fn groups(condition: &Expectation, metrics: &BTreeMap<String, Metric>, records: &[Record]) -> Option<Groups> {
    let metric = metrics.get(&condition.metric)?;
    let values = metric.by_replication().get(&condition.field)?;
    if !matches!(metric, Metric::Distribution(_)) {
        return Groups::of(&values.iter().copied().flatten().collect::<Vec<f64>>());
    }
    let q = match condition.field.as_str() {
        "mean" => 0.9,
        field => format!("0.{}", field.strip_prefix('p')?).parse().ok()?,
    };
    let sampled =
        values.iter().zip(records).filter_map(|(value, record)| match record.metrics.get(&condition.metric) {
            Some(Observation::Distribution(samples)) => Some(((*value)?, samples)),
            _ => None,
        });
    Groups::of_quantile(q, &sampled.collect::<Vec<_>>())
}

/// The condition of `--until`, or else all of the scenario's `[expect]`.
fn conditions(request: &Asked, scenario: &Scenario, network: &Information) -> Result<Vec<Expectation>, Problems> {
    if let Some(text) = &request.until {
        let condition = Expectation::parse(text)?;
        refuse_unsampled(&condition, scenario, network)?;
        return Ok(vec![condition]);
    }
    if scenario.expectations().is_empty() {
        let message = "find needs --until \"response_time.p99 < 20 ms\", or an [expect] in the scenario";
        return Err(Problem::plain(message).into());
    }
    Ok(scenario.expectations().to_vec())
}
