//! What an estimate computes next, by what the points before gave.

use sojourn_engine::splitting::{Level, Tally};
use sojourn_engine::stopping::StoppingRule;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::RiskSummary;

use super::pilots::{self, Pilots};
use super::replications::tally;
use super::{Found, Risk, half_width};
use crate::rounds::{PointResult, PointSpec, Step};

/// What is being computed.
pub enum Stage {
    /// The scenario as it is.
    Ordinary,
    /// A pilot.
    Pilot(Pilots),
    /// The estimate, split at the levels that pilots have shown.
    Estimate(Pilots),
    /// Runs without splitting, where that did not help.
    Crude(Box<Splitted>),
}

/// An estimate by splitting.
pub struct Splitted {
    pilots: Pilots,
    records: Vec<Record>,
    summary: RiskSummary,
}

/// What an estimate does next.
pub enum Next {
    /// The point is computed, and [`Risk::ended`] takes what it gave.
    Compute(Box<Step>),
    /// The estimate has ended.
    Found(Box<Found>),
}

impl Risk {
    /// What is computed first.
    pub fn begin(&self) -> Step {
        Step { spec: self.plan.points[0].spec.clone(), note: "the scenario as it is".to_owned() }
    }

    /// Keeps what the point gave that was to be computed; what to do next.
    pub fn ended(&mut self, finished: PointResult) -> Next {
        let tallies = || finished.records.iter().map(tally).collect::<Vec<Tally>>();
        match std::mem::replace(&mut self.stage, Stage::Ordinary) {
            Stage::Ordinary => self.begin_pilots(finished),
            Stage::Pilot(mut pilots) => match pilots.ended(&tallies(), self.highest_level()) {
                true => {
                    let step = self.replicate(&pilots.levels);
                    self.goes_on(Stage::Estimate(pilots), step)
                }
                false => self.pilot(pilots),
            },
            Stage::Estimate(pilots) => {
                let summary = self.estimate(&pilots.levels, &tallies(), pilots.simulated).summary();
                let splitted = Splitted { pilots, records: finished.records, summary };
                // in a search the looks of a second try would share the 5 % with those of the first
                if self.goal.is_none() && self.is_better_crude(&splitted.pilots.levels, &splitted.summary) {
                    let step = self.replicate(&[]);
                    return self.goes_on(Stage::Crude(Box::new(splitted)), step);
                }
                self.found(splitted, Vec::new())
            }
            Stage::Crude(mut splitted) => {
                let pilot_time = splitted.pilots.simulated + splitted.summary.simulated_time;
                let crude = self.estimate(&[], &tallies(), pilot_time).summary();
                let mut notes = Vec::new();
                if half_width(&crude) < half_width(&splitted.summary) {
                    notes.push(format!(
                        "splitting by {} does not help: runs without it need less time for the same interval, and were \
                         made",
                        self.question.approach.name
                    ));
                    splitted.summary = crude;
                }
                self.found(*splitted, notes)
            }
        }
    }

    /// Keeps the scenario's own run; a scenario that cannot be run has no rare events.
    fn begin_pilots(&mut self, ordinary: PointResult) -> Next {
        let has_failed = ordinary.failure.is_some();
        self.ordinary = ordinary;
        if has_failed {
            let summary = self.estimate(&[], &[], 0.0).summary();
            let (ordinary, interval) = (std::mem::take(&mut self.ordinary), summary.ci95);
            return Next::Found(Box::new(Found { ordinary, summary, interval, notes: Vec::new() }));
        }
        self.pilot(Pilots::new(self.duration()))
    }

    fn pilot(&mut self, pilots: Pilots) -> Next {
        let event = self.event(pilots.levels.clone(), true);
        let spec = self.spec(event, pilots.first_replication(), StoppingRule::Fixed(pilots::REPLICATIONS));
        let step = Step { spec: PointSpec { duration: pilots.duration, ..spec }, note: pilots.note() };
        self.goes_on(Stage::Pilot(pilots), step)
    }

    fn goes_on(&mut self, stage: Stage, step: Step) -> Next {
        self.stage = stage;
        Next::Compute(Box::new(step))
    }

    fn found(&mut self, Splitted { pilots, records, summary }: Splitted, mut notes: Vec<String>) -> Next {
        self.note(&summary, &mut notes);
        let interval = if self.goal.is_some() { self.decisive(&pilots.levels, &records) } else { summary.ci95 };
        Next::Found(Box::new(Found { ordinary: std::mem::take(&mut self.ordinary), summary, interval, notes }))
    }

    /// The replications of an estimate.
    fn replicate(&self, levels: &[Level]) -> Step {
        let note = match levels.len() {
            0 => "without splitting".to_owned(),
            count => format!("{count} levels"),
        };
        let rule = self.replications.map_or_else(|| StoppingRule::Rate(self.rate(levels)), StoppingRule::Fixed);
        Step { spec: self.spec(self.event(levels.to_vec(), false), 0, rule), note }
    }
}
