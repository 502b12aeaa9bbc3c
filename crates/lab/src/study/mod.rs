//! A study as data: experiments, axes, figures and answers.
//!
//! ```toml
//! [study]
//! title = "..."                # also name (default: the folder's), question, source, network, reference
//! [[experiment]]
//! id = "D"
//! scenario = "d.toml"          # beside this file
//! set = { "probe.priority" = true }
//! over = { "background.rate" = "50:500:50 /s" }         # axes in the order written, the first the slowest
//! quick = { duration = "60 s", replications = 2 }       # only ever lowers the scenario's own
//! metrics = ["response_time"]                           # present at every point
//! [[experiment.variant]]       # experiment D+queued, run only with --all
//! id = "queued"
//! set = { "background.generator" = "queued" }             # or a scenario of its own
//! ```
//! `[[figure]]` and `[[answer]]` are declared by [`figure_kinds`] and [`answer_kinds`] and checked before any point runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use sojourn_metrics::results;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::source::Source;
use sojourn_scenario::tree::{self, Node};

pub mod answer_kinds;
mod check;
mod experiment;
mod fields;
pub mod figure_kinds;
pub mod options;
mod testbed;
mod values;

pub use experiment::{Axis, Experiment, Quick, Setting};
use fields::Fields;
pub use testbed::Testbed;
use values::AxisValue;

/// The keys of `[study]`.
const STUDY_KEYS: &[&str] = &["name", "title", "question", "source", "network", "reference"];

/// A study, checked: experiments, figures and answers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Study {
    /// The folder's name unless the file says otherwise.
    pub name: String,
    /// Title, in one line.
    pub title: String,
    /// The question it answers.
    pub question: String,
    /// The publication it follows.
    pub source: String,
    /// The kind of network that its scenarios must have, if declared.
    pub network: Option<String>,
    /// Published numbers, each a path relative to the folder of references.
    pub reference: Vec<String>,
    /// The folder of `study.toml`.
    pub folder: PathBuf,
    /// Experiments and, after each, its variants, in the order written.
    pub experiments: Vec<Experiment>,
    /// The `[[figure]]` tables, checked, as JSON.
    pub figures: Vec<Json>,
    /// The `[[answer]]` tables, checked, as JSON.
    pub answers: Vec<Json>,
    /// Values of `at` and `where` in figures and answers.
    #[serde(skip)]
    values: Vec<AxisValue>,
}

impl Study {
    /// Reads `path`, a `study.toml` or the folder that holds one.
    pub fn read(path: &Path) -> Result<Study, Problems> {
        let path = if path.is_dir() { path.join("study.toml") } else { path.to_owned() };
        let source = tree::load(&path)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Study::parse(&source, fs::canonicalize(&folder).unwrap_or(folder))
    }

    fn parse(source: &Arc<Source>, folder: PathBuf) -> Result<Study, Problems> {
        let entries = tree::parse(source)?;
        let root = Fields::new(&entries, None);
        let mut problems = Problems::new();
        root.refuse_unknown(&["study", "experiment", "figure", "answer"], &mut problems);
        let mut study = Study {
            name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            folder,
            ..Study::default()
        };
        match root.table("study", &mut problems) {
            Some(head) => study.read_head(&head, &mut problems),
            None => problems.push(Problem::plain(format!("{}: the table [study] is missing", source.name))),
        }
        study.experiments = experiment::read_all(&root, &mut problems);
        study.figures = check::read_figures(&root, &study.experiments, &mut study.values, &mut problems);
        study.answers = check::read_answers(&root, &study.experiments, &mut study.values, &mut problems);
        problems.or(study)
    }

    fn read_head(&mut self, head: &Fields<'_>, problems: &mut Problems) {
        head.refuse_unknown(STUDY_KEYS, problems);
        self.title = head.needed_text("title", problems);
        for (key, field) in [("name", &mut self.name), ("question", &mut self.question), ("source", &mut self.source)] {
            if let Some(text) = head.text(key, problems) {
                *field = text.to_owned();
            }
        }
        self.network = head.text("network", problems).map(str::to_owned);
        let references = head.texts("reference", problems);
        self.reference = references.into_iter().filter_map(Node::as_text).map(str::to_owned).collect();
    }

    /// Reports every value in a figure or answer at which none of these points, experiments and settings, is run.
    pub fn refuse_unrun_values<'a>(
        &self,
        points: impl Iterator<Item = (&'a str, &'a BTreeMap<String, results::Setting>)> + Clone,
    ) -> Result<(), Problems> {
        values::refuse_unrun(&self.values, points)
    }

    /// The experiments in `wanted`, or all of them; variants only with `all` or by name. In the order of the study.
    pub fn select(&self, wanted: &[String], all: bool) -> Result<Vec<&Experiment>, Problems> {
        let known = || self.experiments.iter().map(|experiment| experiment.id.as_str());
        let mut problems = Problems::new();
        for id in wanted.iter().filter(|id| !known().any(|known| known == id.as_str())) {
            let message = format!("the study {} has no experiment `{id}`", self.name);
            problems.push(Problem::argument(id, 0..id.len(), message).maybe_help(suggestion(id, known())));
        }
        let chosen = |experiment: &&Experiment| match &experiment.variant_of {
            _ if wanted.contains(&experiment.id) => true,
            Some(base) => all && (wanted.is_empty() || wanted.contains(base)),
            None => wanted.is_empty(),
        };
        problems.or(self.experiments.iter().filter(chosen).collect())
    }
}

#[cfg(test)]
mod tests;
