//! The largest values of a measurement, to stand beside bounds of the network that was measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sojourn_metrics::results::Bounds;
use sojourn_scenario::{Problem, Problems};

/// What of the results of a measurement is compared.
#[derive(Debug, Deserialize)]
struct Results {
    world: String,
    points: Vec<Point>,
}

#[derive(Debug, Deserialize)]
struct Point {
    metrics: BTreeMap<String, Summary>,
}

/// The largest value of a metric, where it has one.
#[derive(Debug, Deserialize)]
struct Summary {
    #[serde(default)]
    max: Option<f64>,
}

/// The largest values of one measured point.
#[derive(Debug)]
pub struct Measured {
    file: PathBuf,
    metrics: BTreeMap<String, Summary>,
}

impl Measured {
    /// The `results.json` of a measurement of one point, or of the folder that has it.
    pub fn read(path: &Path) -> Result<Measured, Problems> {
        let file = if path.is_dir() { path.join("results.json") } else { path.to_owned() };
        let refused = |why: String| Problems::from(Problem::plain(format!("--measured {}: {why}", file.display())));
        let text = fs::read_to_string(&file).map_err(|fault| refused(fault.to_string()))?;
        let results: Results = serde_json::from_str(&text)
            .map_err(|fault| refused(format!("these are no results of Sojourn: {fault}")))?;
        if results.world == "simulated" {
            return Err(refused(
                "these results were simulated: give those of `sojourn measure` or `analyse`".to_owned(),
            ));
        }
        let count = results.points.len();
        match <[Point; 1]>::try_from(results.points) {
            Ok([Point { metrics }]) => Ok(Measured { file, metrics }),
            Err(_) => Err(refused(format!("{count} points were measured, and a bound is of one"))),
        }
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
