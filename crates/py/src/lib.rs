//! The Python bindings: no logic and no callbacks; a whole job runs between two calls.

mod display;
mod hint;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;
use sojourn_lab::cluster::{self, Exchange};
use sojourn_lab::{Build, Request, catalogue, columns, study};
use sojourn_scenario::{Problem, Problems, library, redaction};

pyo3::create_exception!(
    _sojourn,
    UserError,
    PyException,
    "A mistake of the user. args are a JSON list of the first problems, the text for a terminal, and their number."
);

pyo3::create_exception!(
    _sojourn,
    WrongBuild,
    PyException,
    "A batch of a cluster is for another build. args[0] is its identity."
);

/// How mistakes are rendered: colour or not, and how many characters wide.
static COLOUR: AtomicBool = AtomicBool::new(false);
static WIDTH: AtomicUsize = AtomicUsize::new(100);

fn user_error(problems: Problems) -> PyErr {
    UserError::new_err(rendered(&problems))
}

/// The arguments of a `UserError`.
fn rendered(problems: &Problems) -> (String, String, usize) {
    let text = problems.render(COLOUR.load(Ordering::Relaxed), WIDTH.load(Ordering::Relaxed));
    (problems.to_json().to_string(), text, problems.0.len())
}

/// What `work` returns, computed, and its mistakes shown, while other threads of Python run.
fn detached<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> Result<T, Problems>) -> PyResult<T> {
    py.detach(|| work().map_err(|problems| rendered(&problems))).map_err(UserError::new_err)
}

fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("SOJOURN_COMMIT").to_owned(),
        identity: env!("SOJOURN_IDENTITY").to_owned(),
    }
}

/// The extension module `sojourn._sojourn`; `_sojourn.pyi` is its typed stub.
#[pymodule]
mod _sojourn {
    use super::*;

    #[pymodule_export]
    use super::display::{
        apart, format_duration, format_ends, format_interval, format_size, format_span, format_value, ladder, percent,
        percent_lost, rounded, shown_scale, significant,
    };

    #[pymodule_export]
    use super::hint::{meant, nearest};

    #[pymodule_export]
    use super::UserError;

    #[pymodule_export]
    use super::Job;

    #[pymodule_export]
    use super::Computation;

    #[pymodule_export]
    use super::WrongBuild;

    /// Version and the commit the build was made from, as `0.1.0 (abc1234-dirty)`.
    #[pyfunction]
    fn version() -> String {
        let build = build();
        format!("{} ({})", build.version, build.commit)
    }

    /// Fingerprint of all that can change a result: sources, locked libraries, compiler.
    #[pyfunction]
    fn identity() -> String {
        build().identity
    }

    /// Every network that can be simulated, as a JSON list.
    #[pyfunction]
    fn networks() -> String {
        catalogue::networks().to_string()
    }

    /// Every transport of live measurements, as a JSON list.
    #[pyfunction]
    fn transports() -> String {
        catalogue::transports().to_string()
    }

    /// Every metric, as a JSON list.
    #[pyfunction]
    fn metrics() -> String {
        catalogue::metrics().to_string()
    }

    /// Every kind of figure and its options, as JSON.
    #[pyfunction]
    fn figure_kinds() -> String {
        catalogue::figure_kinds().to_string()
    }

    /// Every kind of answer and its options, as JSON.
    #[pyfunction]
    fn answer_kinds() -> String {
        catalogue::answer_kinds().to_string()
    }

    /// Label and units of the key that `path` names in scenarios of a kind, as JSON; None where there is no such key.
    #[pyfunction]
    fn key_label(kind: &str, path: &str) -> Option<String> {
        let label = sojourn_lab::kinds().label(kind, path)?;
        Some(serde_json::to_string(&label).expect("a label is plain data"))
    }

    /// The JSON schema of scenarios: of one network, or of all.
    #[pyfunction]
    #[pyo3(signature = (kind=None))]
    fn schema(kind: Option<&str>) -> PyResult<String> {
        let schema = sojourn_lab::kinds().schema(kind).ok_or_else(|| unknown_network(kind.unwrap_or_default()))?;
        Ok(schema.to_string())
    }

    /// A commented scenario of a network that runs, or a measurement, as TOML.
    #[pyfunction]
    fn new(kind: &str) -> PyResult<String> {
        sojourn_lab::kinds().template(kind).ok_or_else(|| unknown_template(kind))
    }

    /// Checks a scenario or measurement; returns its full form as TOML with `expand`.
    #[pyfunction]
    #[pyo3(signature = (path, sets=Vec::new(), expand=false))]
    fn check(py: Python<'_>, path: PathBuf, sets: Vec<String>, expand: bool) -> PyResult<String> {
        detached(py, || {
            let scenario = sojourn_lab::check(&path, &sets)?;
            Ok(if expand { scenario.expanded_toml() } else { String::new() })
        })
    }

    /// A scenario and the files that it names, as JSON: what a report needs to simulate it again.
    #[pyfunction]
    #[pyo3(signature = (path, sets=Vec::new()))]
    fn document(py: Python<'_>, path: PathBuf, sets: Vec<String>) -> PyResult<String> {
        let document = detached(py, || sojourn_lab::document(&path, &sets))?;
        Ok(serde_json::to_string(&document).expect("a document is plain data"))
    }

    /// The links of a scenario of kind `ip`, as JSON: what each direction does to packets.
    #[pyfunction]
    #[pyo3(signature = (path, sets=Vec::new()))]
    fn links(py: Python<'_>, path: PathBuf, sets: Vec<String>) -> PyResult<String> {
        detached(py, || Ok(sojourn_lab::links::of(&sojourn_lab::check(&path, &sets)?)?.to_string()))
    }

    /// The rules of the trade that a valid scenario breaks, a line each.
    #[pyfunction]
    #[pyo3(signature = (path, sets=Vec::new()))]
    fn warnings(py: Python<'_>, path: PathBuf, sets: Vec<String>) -> PyResult<Vec<String>> {
        detached(py, || Ok(sojourn_lab::warnings(&sojourn_lab::check(&path, &sets)?)))
    }

    /// The number that a key names in a scenario, as JSON: its unit, range and present values.
    #[pyfunction]
    fn parameter(py: Python<'_>, path: PathBuf, sets: Vec<String>, key: &str) -> PyResult<String> {
        let parameter = detached(py, || sojourn_lab::parameter(&path, &sets, key))?;
        Ok(serde_json::to_string(&parameter).expect("a parameter is plain data"))
    }

    /// A study read from its `study.toml`, as JSON.
    #[pyfunction]
    fn study(py: Python<'_>, path: PathBuf) -> PyResult<String> {
        let study = detached(py, || super::study::Study::read(&path))?;
        Ok(serde_json::to_string(&study).expect("a study is plain data"))
    }

    /// Starts a job from its request in JSON.
    #[pyfunction]
    fn start(py: Python<'_>, request: &str) -> PyResult<Job> {
        let request: Request =
            serde_json::from_str(request).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        detached(py, || sojourn_lab::Job::start(request, build())).map(Job)
    }

    /// The folder of `studies`, `reference`, `profiles`, `examples` or `installations`.
    #[pyfunction]
    fn library(kind: &str) -> PathBuf {
        super::library::folder(kind)
    }

    /// The folder of the user's cache; None where the environment names none.
    #[pyfunction]
    fn cache_folder() -> Option<PathBuf> {
        sojourn_lab::cache::users_folder()
    }

    /// The size that a cache is limited to, in bytes; None where it is not.
    #[pyfunction]
    fn cache_limit(folder: PathBuf) -> Option<u64> {
        sojourn_lab::cache::limit(&folder)
    }

    /// Limits a cache to this many bytes, or to none; returns how many entries were evicted, and their bytes.
    #[pyfunction]
    fn limit_cache(py: Python<'_>, folder: PathBuf, bytes: Option<u64>) -> PyResult<(u64, u64)> {
        let evicted = py.detach(|| sojourn_lab::cache::limit_to(&folder, bytes))?;
        Ok((evicted.count, evicted.bytes))
    }

    /// Copies the entries of some caches to another; returns how many were added, there already, and damaged.
    #[pyfunction]
    fn merge_caches(py: Python<'_>, sources: Vec<PathBuf>, into: PathBuf) -> PyResult<(u64, u64, u64)> {
        let merged = py.detach(|| sojourn_lab::cache::merge(&sources, &into))?;
        Ok((merged.added, merged.present, merged.damaged))
    }

    /// Sets the parent of those folders; the first call counts.
    #[pyfunction]
    fn set_root(path: PathBuf) {
        super::library::set_root(path);
    }

    /// A text with URLs, without their passwords and without the secrets of their queries.
    #[pyfunction]
    fn shown(py: Python<'_>, text: &str) -> String {
        py.detach(|| redaction::shown(text))
    }

    /// A document or a command line, without the values of settings that are secrets either.
    #[pyfunction]
    fn shown_document(py: Python<'_>, text: &str) -> String {
        py.detach(|| redaction::shown_document(text))
    }

    /// The value of a key, without what of it is a secret.
    #[pyfunction]
    fn shown_value(key: &str, value: &str) -> String {
        redaction::shown_value(key, value)
    }

    /// Sets colour and width of the text of a `UserError`.
    #[pyfunction]
    fn set_rendering(colour: bool, width: usize) {
        COLOUR.store(colour, Ordering::Relaxed);
        WIDTH.store(width.max(20), Ordering::Relaxed);
    }

    /// The `p` quantile of Student's t.
    #[pyfunction]
    fn student_quantile(p: f64, degrees_of_freedom: u64) -> PyResult<f64> {
        if !(p > 0.0 && p < 1.0) || degrees_of_freedom == 0 {
            return Err(PyValueError::new_err("a quantile needs 0 < p < 1 and at least one degree of freedom"));
        }
        Ok(sojourn_metrics::student::quantile(p, degrees_of_freedom))
    }

    /// Draws of the normal distribution with mean 0 and standard deviation 1, from the random stream of this name.
    #[pyfunction]
    fn standard_normals(seed: u64, name: &str, count: usize) -> Vec<f64> {
        sojourn_lab::standard_normals(seed, name, count)
    }
}

/// A batch with its number, as it travels.
fn text((number, batch): (u64, cluster::Batch)) -> (u64, String) {
    (number, serde_json::to_string(&batch).expect("a batch is plain data"))
}

fn unknown_template(name: &str) -> PyErr {
    let kinds = sojourn_lab::kinds();
    let measurements = kinds.measurements().map(|(known, _)| known.name);
    let problem = Problem::argument(name, 0..name.len(), format!("there is no network or measurement `{name}`"));
    user_error(problem.maybe_help(kinds.suggestion(name, measurements)).into())
}

fn unknown_network(kind: &str) -> PyErr {
    let problem = Problem::argument(kind, 0..kind.len(), format!("there is no network `{kind}`"));
    user_error(problem.maybe_help(sojourn_lab::kinds().suggestion(kind, [])).into())
}

/// A job that runs or has ended. Dropping it cancels it.
#[pyclass(frozen)]
struct Job(sojourn_lab::Job);

#[pymethods]
impl Job {
    /// Its progress, as JSON.
    fn progress(&self) -> String {
        serde_json::to_string(&self.0.progress()).expect("progress is plain data")
    }

    /// Cancels it.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Of a job on a cluster: the number and the text of a batch of about `seconds` of computing for one of `threads`
    /// threads; None when nothing is to be handed out now but suspects.
    fn take(&self, py: Python<'_>, seconds: f64, threads: usize) -> PyResult<Option<(u64, String)>> {
        let exchange = self.exchange()?;
        Ok(py.detach(|| exchange.take(seconds, threads)).map(text))
    }

    /// Whether replications wait that may end the worker which computes them.
    fn has_suspects(&self) -> PyResult<bool> {
        Ok(self.exchange()?.has_suspects())
    }

    /// The number and the text of a batch of one suspect, for a worker that computes nothing else meanwhile.
    fn take_suspect(&self) -> PyResult<Option<(u64, String)>> {
        Ok(self.exchange()?.take_suspect().map(text))
    }

    /// Takes the answers to a batch, of which what was answered before is dropped; False for bytes that
    /// do not answer it.
    fn deliver(&self, py: Python<'_>, number: u64, answers: &[u8]) -> PyResult<bool> {
        let exchange = self.exchange()?;
        Ok(py.detach(|| exchange.deliver(number, answers)))
    }

    /// Offers what is not answered of a batch once more.
    fn offer_again(&self, number: u64) -> PyResult<()> {
        self.exchange()?.offer_again(number);
        Ok(())
    }

    /// Makes each replication of a batch, whose worker ended, a suspect; gives up one that was alone too often.
    fn suspect(&self, number: u64, why: &str) -> PyResult<()> {
        self.exchange()?.suspect(number, why);
        Ok(())
    }

    /// The reports of a live job, from number `start` on, as a JSON list.
    fn reports(&self, start: usize) -> String {
        serde_json::to_string(&self.0.reports(start)).expect("a report is plain data")
    }

    /// Its outcome, as JSON; None while it runs.
    fn outcome(&self) -> Option<String> {
        self.0.outcome().map(|outcome| serde_json::to_string(outcome).expect("an outcome is plain data"))
    }

    /// Samples of a metric in one point: lists `replication` and `value` (seconds); None when not all were kept.
    fn samples(&self, point: usize, metric: &str) -> PyResult<Option<Samples>> {
        let columns = columns::samples(self.records(point)?, metric);
        Ok(columns.map(|columns| Samples { replication: columns.replication, value: columns.value }))
    }

    /// Traces of a metric in one point: lists `replication`, `time_s` and `value`.
    fn trace(&self, point: usize, metric: &str) -> PyResult<Trace> {
        let columns::Trace { replication, time_s, value } = columns::trace(self.records(point)?, metric);
        Ok(Trace { replication, time_s, value })
    }

    /// The histogram of a metric in one point: lists `from_s`, `to_s` and `count`.
    fn histogram(&self, point: usize, metric: &str) -> PyResult<Histogram> {
        let columns::Histogram { from_s, to_s, count } = columns::histogram(self.records(point)?, metric);
        Ok(Histogram { from_s, to_s, count })
    }
}

impl Job {
    fn exchange(&self) -> PyResult<&Exchange> {
        self.0.exchange().ok_or_else(|| PyValueError::new_err("the job is not computed on a cluster"))
    }

    fn records(&self, point: usize) -> PyResult<&[sojourn_metrics::record::Record]> {
        let outcome = self.0.outcome().ok_or_else(|| PyValueError::new_err("the job is still running"))?;
        let records = outcome.records.get(point);
        records.map(Vec::as_slice).ok_or_else(|| PyIndexError::new_err(format!("there is no point {point}")))
    }
}

/// A batch being computed on a worker. Dropping it cancels it.
#[pyclass(frozen)]
struct Computation(cluster::Computation);

#[pymethods]
impl Computation {
    /// Starts on a batch; `WrongBuild` if it is for another build.
    #[new]
    fn new(batch: &str) -> PyResult<Computation> {
        cluster::Computation::start(batch, &build().identity).map(Computation).map_err(|refusal| match refusal {
            cluster::Refusal::Build(identity) => WrongBuild::new_err(identity),
            cluster::Refusal::Unreadable(fault) => PyValueError::new_err(fault),
        })
    }

    /// Waits at most this many seconds; whether it has ended.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let at_most = Duration::try_from_secs_f64(seconds).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        Ok(py.detach(|| self.0.wait(at_most)))
    }

    /// Cancels it.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// The answers, once it has ended; None where it was cancelled.
    fn answers(&self) -> Option<Cow<'_, [u8]>> {
        self.0.answers().map(Cow::Borrowed)
    }
}

/// Becomes a dict of lists.
#[derive(IntoPyObject)]
struct Samples {
    replication: Vec<u32>,
    value: Vec<f64>,
}

/// Becomes a dict of lists.
#[derive(IntoPyObject)]
struct Trace {
    replication: Vec<u32>,
    time_s: Vec<f64>,
    value: Vec<f64>,
}

/// Becomes a dict of lists.
#[derive(IntoPyObject)]
struct Histogram {
    from_s: Vec<f64>,
    to_s: Vec<f64>,
    count: Vec<u64>,
}
