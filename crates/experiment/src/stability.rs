//! Qualifies judgements of overloaded resources, and of runs too short to show an overload.

use sojourn_metrics::dependence::{self, Dependence};
use sojourn_metrics::display::{apart, rounded};
use sojourn_metrics::record::Record;
use sojourn_metrics::registry::{self, Better};
use sojourn_metrics::results::{Point, Stability};
use sojourn_scenario::{Expectation, Relation};

use crate::verdict::{Judgement, Verdict};

/// From this demand on a queue remembers for so long that a run that is short says little of the steady state.
const NEAR_SATURATION: f64 = 0.9;

/// The resource that is asked for most beyond what it can do; `None` where nothing is known to be overloaded.
pub fn overloaded(stability: &[Stability]) -> Option<&Stability> {
    let overloaded = stability.iter().filter(|row| row.stable == Some(false));
    overloaded.max_by(|one, other| one.demand.partial_cmp(&other.demand).unwrap_or(std::cmp::Ordering::Equal))
}

/// The largest demand of a resource whose senders do not wait for answers.
pub fn demand(stability: &[Stability]) -> Option<f64> {
    stability.iter().filter_map(|row| row.demand).reduce(f64::max)
}

/// States in one sentence, without its full stop, that no steady state exists.
pub fn sentence(row: &Stability) -> String {
    format!("{}: no steady state; the figures below depend on how long the run is", more_than_served(row))
}

/// `more arrives at server (1 /s) than it serves (0.67 /s)`.
fn more_than_served(row: &Stability) -> String {
    let Stability { resource, demand, unit, .. } = row;
    let demand = demand.unwrap_or(1.0);
    if unit == "1" {
        return format!("more arrives at {resource} ({} % of its time) than it serves", rounded(100.0 * demand, 3));
    }
    // what is offered as it is expected, beside all that it can do
    let capacity = capacity(row);
    let [offered, served] = apart(capacity * demand, capacity);
    let counted = unit.split_once("/s").map_or(unit.as_str(), |(what, _)| what);
    format!("more arrives at {resource} ({offered} {counted}/s) than it serves ({served} {counted}/s)")
}

/// What a resource can serve a second, in the unit of its row.
pub fn capacity(row: &Stability) -> f64 {
    match row.utilisation {
        Some(busy) if busy > 0.0 => row.carried / busy.min(1.0),
        _ => row.carried,
    }
}

/// A judgement, corrected where no steady state exists: an unbounded quantity meets no upper limit, however long the
/// run was.
pub fn corrected(expectation: &Expectation, judgement: Judgement, stability: &[Stability]) -> Judgement {
    match overloaded(stability).filter(|_| limits_from_above(expectation)) {
        Some(row) => Judgement {
            holds: false,
            verdict: Verdict::Missed,
            reason: Some(format!("no steady state: {}", more_than_served(row))),
            ..judgement
        },
        None => judgement,
    }
}

/// The same for a search, whose values lie on both sides of what can be served: near that, a run that is short has not seen what
/// comes later, and meets nothing.
pub fn of_search(expectation: &Expectation, judgement: Judgement, point: &Point, records: &[Record]) -> Judgement {
    let judgement = corrected(expectation, judgement, &point.stability);
    let is_near = demand(&point.stability).is_some_and(|demand| demand >= NEAR_SATURATION);
    if judgement.verdict != Verdict::Met || !is_near || !limits_from_above(expectation) {
        return judgement;
    }
    let samples = dependence::distributions(records, &expectation.metric);
    let is_short = dependence::of(&samples).is_some_and(|found: Dependence| found.is_short());
    match is_short {
        true => Judgement {
            verdict: Verdict::Undecided,
            reason: Some("runs are short near saturation".to_owned()),
            ..judgement
        },
        false => judgement,
    }
}

/// Whether a condition limits a time, a queue or a loss from above.
fn limits_from_above(expectation: &Expectation) -> bool {
    let is_upper = matches!(expectation.relation, Relation::Less | Relation::LessOrEqual | Relation::Equal);
    is_upper && registry::find(&expectation.metric).is_some_and(|found| found.better == Some(Better::Lower))
}

/// Where the demand for a resource reaches what it serves, between two values of a key of which it is known; `None` where it does not.
///
/// `rises` is whether it is asked for more at larger values: then its demand is taken to be a line, else the value to be the time
/// between two arrivals.
pub fn crossing(demands: &[(f64, f64)], rises: bool) -> Option<f64> {
    let mut known = demands.to_vec();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let pair = known.windows(2).find(|pair| (pair[0].1 - 1.0) * (pair[1].1 - 1.0) <= 0.0)?;
    let [(low, first), (high, second)] = [pair[0], pair[1]];
    let of = |demand: f64| if rises { demand } else { 1.0 / demand };
    let (first, second) = (of(first), of(second));
    (first != second).then(|| low + (high - low) * (1.0 - first) / (second - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(demand: f64) -> Stability {
        Stability {
            resource: "server".into(),
            offered: demand * 100.0,
            carried: demand.min(1.0) * 100.0,
            unit: "customers/s".into(),
            utilisation: Some(demand.min(1.0)),
            demand: Some(demand),
            stable: Some(demand < 1.0),
        }
    }

    fn judged(text: &str, demand: f64) -> Judgement {
        let met = Judgement { value: Some(0.5), interval: None, holds: true, verdict: Verdict::Met, reason: None };
        corrected(&Expectation::parse(text).unwrap(), met, &[row(demand)])
    }

    #[test]
    fn a_time_without_steady_state_meets_no_limit_and_says_why() {
        let found = judged("response_time.mean < 120 s", 1.5);
        assert_eq!((found.verdict, found.holds), (Verdict::Missed, false));
        let why = "no steady state: more arrives at server (150 customers/s) than it serves (100 customers/s)";
        assert_eq!(found.reason.as_deref(), Some(why));
        assert_eq!(judged("response_time.mean < 120 s", 0.99).verdict, Verdict::Met);
    }

    #[test]
    fn what_hardly_exceeds_what_is_served_is_written_so_that_it_shows() {
        let reason = judged("response_time.mean < 3 s", 1.002).reason.unwrap();
        assert!(reason.ends_with("server (100.2 customers/s) than it serves (100 customers/s)"), "{reason}");
    }

    #[test]
    fn what_is_carried_by_then_is_no_time() {
        assert_eq!(judged("utilisation < 100 %", 1.5).verdict, Verdict::Met);
        assert_eq!(judged("response_time.mean > 1 s", 1.5).verdict, Verdict::Met);
        assert_eq!(judged("loss < 1 %", 1.5).verdict, Verdict::Missed);
    }

    #[test]
    fn the_resource_that_is_asked_for_most_is_named() {
        let rows = [row(1.2), Stability { resource: "other".into(), ..row(3.0) }, row(0.5)];
        assert_eq!(overloaded(&rows).unwrap().resource, "other");
        assert!(overloaded(&[row(0.9)]).is_none());
    }

    #[test]
    fn a_demand_crosses_what_is_served_between_the_values_tried() {
        assert_eq!(crossing(&[(90.0, 0.9), (110.0, 1.1)], true), Some(100.0));
        assert_eq!(crossing(&[(50.0, 0.5), (90.0, 0.9)], true), None);
        // one every 8 ms asks for 125 %, one every 20 ms for 50 % of 10 ms each
        let met = crossing(&[(8.0, 1.25), (20.0, 0.5)], false).unwrap();
        assert!((met - 10.0).abs() < 1e-12, "{met}");
    }
}
