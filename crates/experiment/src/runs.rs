//! Seed and number of replications where a request overrides those of the scenario.

use serde::{Deserialize, Serialize};

/// Random numbers and replications, in place of the scenario's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Seed of the random streams.
    pub seed: Option<u64>,
    /// Replications of each point, at least 1.
    pub replications: Option<u32>,
    /// Replications are added until the half-width of the 95 % interval is within this share of the mean, 0 to 1.
    pub precision: Option<f64>,
    /// The metric and field that [`precision`](Runs::precision) watches; the probe's mean when absent.
    pub precision_of: Option<String>,
    /// Events of the simulation, of all points together, within which replications are added until all that is expected is
    /// decided; 0 for the scenario's number of replications, [`EVENTS`](crate::deciding::EVENTS) when absent.
    pub budget: Option<u64>,
    /// Whether means are corrected by control variates.
    pub control_variates: bool,
}

impl Runs {
    /// What is wrong whatever the scenario.
    pub fn mistakes(&self) -> Vec<&'static str> {
        let share = |share: f64| share > 0.0 && share < 1.0;
        let checks = [
            (self.replications == Some(0), "--replications 0: a point has at least one replication"),
            (
                self.precision.is_some_and(|precision| !share(precision)),
                "--precision is a share of the value, above 0 and below 1, such as 0.02",
            ),
            (
                self.precision.is_some() && self.replications.is_some(),
                "--precision decides the number of replications: leave --replications out",
            ),
            (
                self.budget.is_some() && (self.replications.is_some() || self.precision.is_some()),
                "--budget decides the number of replications, as --replications and --precision do: give one of them",
            ),
            (
                self.precision.is_none() && self.precision_of.is_some(),
                "--precision-of names what --precision watches: give --precision, too",
            ),
        ];
        checks.iter().filter(|(wrong, _)| *wrong).map(|(_, message)| *message).collect()
    }
}
