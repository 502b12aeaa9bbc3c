//! Stability: whether the resources of a point have a steady state.
//!
//! A resource without losses has a steady state if less work arrives than it can serve. Unlike waiting times,
//! arriving work does not depend on the current queue length, so a short run estimates it as well as a long one.

use std::collections::BTreeSet;

use crate::interval;
use crate::load::Load;
use crate::record::Record;
use crate::results::Stability;

/// Overload is claimed at this confidence: a run has many resources.
const CONFIDENCE: f64 = 0.999;

/// How far the demand of one replication alone may be off, as a share of it.
const OF_ONE: f64 = 0.1;

/// The resources of a point, by name: the mean of its replications, and whether each has a steady state.
pub fn of(records: &[Record]) -> Vec<Stability> {
    let names: BTreeSet<&String> = records.iter().flat_map(|record| record.loads.keys()).collect();
    names.into_iter().map(|name| of_resource(name, records)).collect()
}

fn of_resource(name: &str, records: &[Record]) -> Stability {
    let loads: Vec<&Load> = records.iter().filter_map(|record| record.loads.get(name)).collect();
    let mean = |of: fn(&Load) -> f64| interval::mean(&loads.iter().map(|load| of(load)).collect::<Vec<_>>());
    let busy: Option<Vec<f64>> = loads.iter().map(|load| load.utilisation).collect();
    let demands: Option<Vec<f64>> = loads.iter().map(|load| load.demand).collect();
    let demand = demands.as_ref().and_then(|demands| interval::mean(demands));
    Stability {
        resource: name.to_owned(),
        offered: mean(|load| load.offered).unwrap_or_default(),
        carried: mean(|load| load.carried).unwrap_or_default(),
        unit: loads.first().map_or_else(|| "1".to_owned(), |load| load.unit.clone()),
        utilisation: busy.as_ref().and_then(|busy| interval::mean(busy)),
        demand,
        stable: demands.and_then(|demands| is_stable(&demands)),
    }
}

/// Whether less work arrives than can be done; `None` where these replications do not decide it.
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

    fn stable(demands: &[f64]) -> Option<bool> {
        let load = |demand| Load { demand: Some(demand), ..Load::of_jobs("customers/s", [10, 0], 0.0, 1.0, 1.0) };
        let record = |&demand: &f64| {
            let mut record = Record::default();
            record.load("server", load(demand));
            record
        };
        of(&demands.iter().map(record).collect::<Vec<_>>())[0].stable
    }

    #[test]
    fn a_demand_above_what_can_be_done_has_no_steady_state_and_one_near_it_is_not_decided() {
        assert_eq!(stable(&[1.5, 1.5, 1.5]), Some(false));
        assert_eq!(stable(&[0.9, 0.91, 0.89, 0.9]), Some(true));
        assert_eq!(stable(&[1.01, 0.98, 1.03]), None);
        assert_eq!(stable(&[1.0, 1.0]), None, "just as much as it serves");
    }

    #[test]
    fn one_replication_decides_what_is_a_tenth_away() {
        assert_eq!(stable(&[1.5]), Some(false));
        assert_eq!(stable(&[1.05]), None);
        assert_eq!(stable(&[0.8]), Some(true));
    }

    #[test]
    fn a_resource_of_senders_that_wait_for_answers_is_not_overloaded() {
        let mut record = Record::default();
        record.load("link", Load::of_jobs("packets/s", [100, 0], 30.0, 1.0, 1.0).closed());
        assert_eq!(of(&[record])[0].stable, None);
    }
}
