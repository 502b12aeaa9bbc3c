//! The largest values of a measurement, to compare with worst-case bounds of the same network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sojourn_metrics::results::Bounds;
use sojourn_scenario::{Problem, Problems};

/// What of the results of a measurement is compared.
#[derive(Debug, Deserialize)]
struct Results {
    world: String,
    points: Vec<Phase>,
}

#[derive(Debug, Deserialize)]
struct Phase {
    /// The phase, where a measurement has several.
    #[serde(default)]
    experiment: Option<String>,
    metrics: BTreeMap<String, Summary>,
}

/// Phases of a measurement with load: the sources of the network never send more in one than in all.
const PHASES: [&str; 3] = ["idle", "loaded", "recovery"];

/// The largest value of a metric, where it has one.
#[derive(Debug, Deserialize)]
struct Summary {
    #[serde(default)]
    max: Option<f64>,
}

impl Phase {
    /// Which phase of a measurement with load it is.
    fn phase(&self) -> Option<&'static str> {
        let named = self.experiment.as_deref()?;
        PHASES.into_iter().find(|phase| *phase == named)
    }

    /// Takes over what was larger in another phase.
    fn take(&mut self, other: Phase) {
        for (metric, summary) in other.metrics {
            let largest = self.metrics.entry(metric).or_insert(Summary { max: None });
            largest.max = largest.max.into_iter().chain(summary.max).reduce(f64::max);
        }
    }
}

/// The largest values of one measurement, of any phase.
#[derive(Debug)]
pub struct Measured {
    file: PathBuf,
    metrics: BTreeMap<String, Summary>,
}

impl Measured {
    /// The `results.json` of one measurement, or of the folder that has it.
    pub fn read(path: &Path) -> Result<Measured, Problems> {
        let file = if path.is_dir() { path.join("results.json") } else { path.to_owned() };
        match fs::read_to_string(&file) {
            Ok(text) => Measured::of_text(file, &text),
            Err(fault) => Err(refusal(&file)(fault.to_string())),
        }
    }

    /// The same of the text of a file.
    pub(crate) fn of_text(file: PathBuf, text: &str) -> Result<Measured, Problems> {
        let refused = refusal(&file);
        let results: Results = serde_json::from_str(text)
            .map_err(|fault| refused(format!("these are not results of Sojourn: {fault}")))?;
        if results.world == "simulated" {
            return Err(refused(
                "these results were simulated: give those of `sojourn measure` or `analyse`".to_owned(),
            ));
        }
        let count = results.points.len();
        let phases: Option<BTreeSet<&str>> = results.points.iter().map(Phase::phase).collect();
        if count > 1 && phases.is_none_or(|phases| phases.len() < count) {
            return Err(refused(format!("{count} points were measured, and a bound is of one")));
        }
        let mut points = results.points.into_iter();
        let mut all = points.next().ok_or_else(|| refused("nothing was measured".to_owned()))?;
        points.for_each(|phase| all.take(phase));
        Ok(Measured { file, metrics: all.metrics })
    }

    /// Puts the largest values beside the bounds; refuses a measurement that has none of what is bounded.
    pub fn beside(&self, bounds: &mut Bounds) -> Result<(), Problems> {
        let largest = |metric: &str| self.metrics.get(metric)?.max;
        bounds.measured(largest);
        match bounds.rows.iter().any(|row| row.measured_max.is_some()) {
            true => Ok(()),
            false => {
                let wanted: Vec<&str> = bounds.rows.iter().filter_map(|row| row.metric.as_deref()).collect();
                let message = format!("--measured {}: none of {} was measured", self.file.display(), wanted.join(", "));
                Err(Problem::plain(message).into())
            }
        }
    }
}

/// Why the results of a file are not taken.
fn refusal(file: &Path) -> impl Fn(String) -> Problems + use<> {
    let file = file.display().to_string();
    move |why| Problem::plain(format!("--measured {file}: {why}")).into()
}
