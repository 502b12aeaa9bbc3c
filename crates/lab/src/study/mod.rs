//! A study as data: which experiments, over which axes, drawn how.
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
//! [[experiment.variant]]       # experiment D+queued, run only when all is asked for
//! id = "queued"
//! set = { "background.generator" = "queued" }             # or a scenario of its own
//! ```
//! `[[figure]]` and `[[answer]]` are declared by [`figure_kinds`] and [`answer_kinds`] and checked before any point runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
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

pub use experiment::{Axis, Experiment, Quick, Setting};
use fields::Fields;
pub use testbed::Testbed;

/// The keys of `[study]`.
const STUDY_KEYS: &[&str] = &["name", "title", "question", "source", "network", "reference"];

/// A study as its file says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Study {
    /// The folder's name unless the file says otherwise.
    pub name: String,
    /// One line.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// What it follows.
    pub source: String,
    /// The kind of network its scenarios must have, if it says so.
    pub network: Option<String>,
    /// Published numbers, each a path relative to the folder of references.
    pub reference: Vec<String>,
    /// Where `study.toml` stands.
    pub folder: PathBuf,
    /// Experiments and, after each, its variants, in the order written.
    pub experiments: Vec<Experiment>,
    /// Figures as written.
    pub figures: Vec<Json>,
    /// Answers as written.
    pub answers: Vec<Json>,
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
            None => problems.push(Problem::plain(format!("{}: there is no table [study]", source.name))),
        }
        study.experiments = experiment::read_all(&root, &mut problems);
        study.figures = check::read_figures(&root, &study.experiments, &mut problems);
        study.answers = check::read_answers(&root, &study.experiments, &mut problems);
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

    /// The experiments that `wanted` names, or all of them, without variants unless `all` or named, in the order
    /// of the study.
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
