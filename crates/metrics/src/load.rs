//! What a resource that serves was offered and what it carried, and whether that has a steady state.
//!
//! A resource without losses has one where less work arrives than it can do. Work that arrives does not depend on how long the
//! queue is by then, as the times of those who wait do, so that a short run tells as well as a long one.

use serde::{Deserialize, Serialize};

use crate::interval;
use crate::record::Record;
use crate::results::Stability;

/// Overload is claimed at this confidence: a run has many resources.
const CONFIDENCE: f64 = 0.999;

/// What one replication says of a demand, as a share of it, where nothing else tells.
const OF_ONE: f64 = 0.1;

/// A link, a queue, a processor, a channel in one replication, after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// What is counted, in results' units: `"packets/s"`; `"1"` for the share of its time that work takes.
    pub unit: String,
    /// What arrived, what was lost included.
    pub offered: f64,
    /// What was served.
    pub carried: f64,
    /// Share of its time that it was busy.
    pub utilisation: f64,
    /// The work that arrived and was not lost, as a share of what it can do in the time observed. `None` where those who send
    /// wait for answers: then it takes what it gets.
    pub demand: Option<f64>,
}

impl Load {
    /// Of a resource that was busy for this share of its time with the jobs `served`, as more of them waited at the end than at the
    /// begin of the `seconds` observed.
    pub fn of_jobs(unit: &str, [served, lost]: [u64; 2], more_waiting: f64, utilisation: f64, seconds: f64) -> Load {
        let (served, lost) = (served as f64, lost as f64);
        let accepted = (served + more_waiting).max(0.0);
        let rate = |jobs: f64| if seconds > 0.0 { jobs / seconds } else { 0.0 };
        Load {
            unit: unit.to_owned(),
            offered: rate(accepted + lost),
            carried: rate(served),
            utilisation,
            demand: (served > 0.0).then(|| utilisation * accepted / served),
        }
    }

    /// The same for a resource whose senders wait for answers, and so never overload it.
    pub fn closed(self) -> Load {
        Load { demand: None, ..self }
    }

    /// The same with its demand as it is expected where `drawn` arrivals a second came in place of `expected`.
    pub fn expecting(self, expected: f64, drawn: f64) -> Load {
        match drawn > 0.0 {
            true => Load { demand: self.demand.map(|demand| demand * expected / drawn), ..self },
            false => self,
        }
    }
}

/// The resources of a point, by name: the mean of its replications, and whether each has a steady state.
pub fn stability(records: &[Record]) -> Vec<Stability> {
    let names: std::collections::BTreeSet<&String> = records.iter().flat_map(|record| record.loads.keys()).collect();
    names.into_iter().map(|name| of_resource(name, records)).collect()
}

fn of_resource(name: &str, records: &[Record]) -> Stability {
    let loads: Vec<&Load> = records.iter().filter_map(|record| record.loads.get(name)).collect();
    let mean = |of: fn(&Load) -> f64| interval::mean(&loads.iter().map(|load| of(load)).collect::<Vec<_>>());
    let demands: Option<Vec<f64>> = loads.iter().map(|load| load.demand).collect();
    let demand = demands.as_ref().and_then(|demands| interval::mean(demands));
    Stability {
        resource: name.to_owned(),
        offered: mean(|load| load.offered).unwrap_or_default(),
        carried: mean(|load| load.carried).unwrap_or_default(),
        unit: loads.first().map_or_else(|| "1".to_owned(), |load| load.unit.clone()),
        utilisation: mean(|load| load.utilisation).unwrap_or_default(),
        demand,
        stable: demands.and_then(|demands| is_stable(&demands)),
    }
}

/// Whether less work arrives than can be done; `None` where these replications do not tell.
fn is_stable(demands: &[f64]) -> Option<bool> {
    let mean = interval::mean(demands)?;
    let [low, high] = match interval::of_mean_at(demands, CONFIDENCE) {
        Some(ends) => ends,
        None => [mean * (1.0 - OF_ONE), mean * (1.0 + OF_ONE)],
    };
    match () {
        () if low > 1.0 + 1e-9 => Some(false),
        () if high < 1.0 - 1e-9 => Some(true),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(demands: &[f64]) -> Option<bool> {
        let load = |demand| Load { demand: Some(demand), ..Load::of_jobs("customers/s", [10, 0], 0.0, 1.0, 1.0) };
        let record = |&demand: &f64| {
            let mut record = Record::default();
            record.load("server", load(demand));
            record
        };
        stability(&demands.iter().map(record).collect::<Vec<_>>())[0].stable
    }

    #[test]
    fn a_demand_above_what_can_be_done_has_no_steady_state_and_one_near_it_is_not_told() {
        assert_eq!(told(&[1.5, 1.5, 1.5]), Some(false));
        assert_eq!(told(&[0.9, 0.91, 0.89, 0.9]), Some(true));
        assert_eq!(told(&[1.01, 0.98, 1.03]), None);
        assert_eq!(told(&[1.0, 1.0]), None, "just as much as it serves");
    }

    #[test]
    fn one_replication_tells_what_is_a_tenth_away() {
        assert_eq!(told(&[1.5]), Some(false));
        assert_eq!(told(&[1.05]), None);
        assert_eq!(told(&[0.8]), Some(true));
    }

    #[test]
    fn those_who_wait_longer_at_the_end_than_at_the_begin_are_work_that_was_not_done() {
        // 3000 arrived in 2000 s, of which 1333 were served, all the time
        let load = Load::of_jobs("customers/s", [1333, 0], 667.0, 1.0, 2000.0);
        assert_eq!((load.offered, load.carried), (1.0, 0.6665));
        assert!((load.demand.unwrap() - 1.5).abs() < 1e-3);
        let lossy = Load::of_jobs("packets/s", [100, 50], 0.0, 1.0, 1.0);
        assert_eq!((lossy.offered, lossy.demand), (150.0, Some(1.0)), "what is dropped is no work");
    }

    #[test]
    fn a_resource_of_senders_that_wait_for_answers_is_not_overloaded() {
        let mut record = Record::default();
        record.load("link", Load::of_jobs("packets/s", [100, 0], 30.0, 1.0, 1.0).closed());
        assert_eq!(stability(&[record])[0].stable, None);
    }

    #[test]
    fn a_demand_follows_what_is_expected_in_place_of_what_was_drawn() {
        let load = Load::of_jobs("packets/s", [990, 0], 0.0, 0.99, 1.0).expecting(1010.0, 990.0);
        assert!((load.demand.unwrap() - 1.01).abs() < 1e-12);
    }
}
