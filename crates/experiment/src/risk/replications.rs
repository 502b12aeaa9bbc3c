//! A replication of a rare event as a replication of a model: its tally is a record, so that threads and cache work
//! as for any run.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_engine::splitting::{LevelTally, Tally, Visits};
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::rare::RareEvent;
use sojourn_model::{Model, Replication};

/// First occurrences of a replication, weighted.
pub const OCCURRENCES: &str = "occurrences";
/// Replications that the event had begun in when the warm-up ended, weighted.
const BEGUN_IN: &str = "begun_in";
/// Seconds before them, weighted.
pub const EXPOSURE: &str = "exposure";

/// The metric of paths that reached a level.
pub fn reached(level: usize) -> String {
    format!("reached/{level:03}")
}

/// A model and the event that its replications wait for.
pub struct RareReplications {
    model: Arc<dyn Model>,
    event: RareEvent,
    /// Number of the first replication: those of pilots are others than those of the estimate.
    first: u32,
}

impl RareReplications {
    /// Replications of `model` from number `first` on. Panics unless the model has gauges.
    pub fn new(model: Arc<dyn Model>, event: RareEvent, first: u32) -> Self {
        assert!(model.rare().is_some(), "a model with gauges");
        RareReplications { model, event, first }
    }
}

impl Model for RareReplications {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let rare = self.model.rare().expect("a model with gauges");
        let index = self.first + replication.index;
        record(&rare.split(Replication { index, capture: None, traces: false, ..replication }, &self.event))
    }
}

fn record(tally: &Tally) -> Record {
    let mut record = Record::default();
    record.scalar(OCCURRENCES, tally.occurrences);
    record.scalar(BEGUN_IN, tally.begun_in);
    record.scalar(EXPOSURE, tally.exposure);
    record.scalar("lasting", tally.lasting);
    record.scalar("simulated", tally.simulated);
    record.count("events", tally.events);
    record.count("cost_of_copy", tally.cost_of_copy);
    for (number, level) in tally.levels.iter().enumerate() {
        record.count(format!("entered/{number:03}"), level.entered);
        record.scalar(reached(number), level.reached);
        record.count(format!("occurred/{number:03}"), level.occurrences);
        record.count(format!("handled/{number:03}"), level.events);
        record.scalar(format!("time/{number:03}"), level.time);
    }
    for (importance, visits) in &tally.course {
        record.count(format!("visits/{importance}"), visits.count);
        record.scalar(format!("stay/{importance}"), visits.time);
        record.scalar(format!("rises/{importance}"), visits.rises);
    }
    record
}

/// The tally in a record.
pub fn tally(record: &Record) -> Tally {
    let scalar = |name: &str| match record.metrics.get(name) {
        Some(Observation::Scalar(value)) => *value,
        _ => 0.0,
    };
    let mut tally = Tally {
        occurrences: scalar(OCCURRENCES),
        begun_in: scalar(BEGUN_IN),
        exposure: scalar(EXPOSURE),
        lasting: scalar("lasting"),
        simulated: scalar("simulated"),
        ..Tally::default()
    };
    let mut levels: BTreeMap<usize, LevelTally> = BTreeMap::new();
    for (name, observation) in &record.metrics {
        let Some((what, number)) = name.split_once('/') else {
            match (name.as_str(), observation) {
                ("events", Observation::Count(events)) => tally.events = *events,
                ("cost_of_copy", Observation::Count(cost)) => tally.cost_of_copy = *cost,
                _ => {}
            }
            continue;
        };
        let number: u64 = number.parse().expect("a number of our own");
        match (what, observation) {
            ("entered", Observation::Count(count)) => levels.entry(number as usize).or_default().entered = *count,
            ("reached", Observation::Scalar(count)) => levels.entry(number as usize).or_default().reached = *count,
            ("occurred", Observation::Count(count)) => levels.entry(number as usize).or_default().occurrences = *count,
            ("handled", Observation::Count(count)) => levels.entry(number as usize).or_default().events = *count,
            ("time", Observation::Scalar(time)) => levels.entry(number as usize).or_default().time = *time,
            ("visits", Observation::Count(count)) => visits(&mut tally, number).count = *count,
            ("stay", Observation::Scalar(time)) => visits(&mut tally, number).time = *time,
            ("rises", Observation::Scalar(rises)) => visits(&mut tally, number).rises = *rises,
            _ => {}
        }
    }
    tally.levels = levels.into_values().collect();
    tally
}

fn visits(tally: &mut Tally, importance: u64) -> &mut Visits {
    tally.course.entry(importance).or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_reads_back_from_its_record() {
        let level = LevelTally { entered: 3, reached: 2.5, occurrences: 1, events: 7, time: 0.25 };
        let tally_of = Tally {
            occurrences: 0.125,
            begun_in: 0.0625,
            exposure: 10.5,
            lasting: 0.5,
            simulated: 31.0,
            events: 99,
            cost_of_copy: 8,
            levels: vec![LevelTally::default(), level],
            course: BTreeMap::from([
                (0, Visits { count: 5, time: 2.0, rises: 0.0 }),
                (12, Visits { count: 1, time: 0.5, rises: 0.25 }),
            ]),
        };
        assert_eq!(tally(&record(&tally_of)), tally_of);
    }
}
