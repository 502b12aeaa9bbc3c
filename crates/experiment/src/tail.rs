//! The extreme quantile requested of a run: the time that a small share of its requests exceeds.

use sojourn_metrics::results::TailSummary;
use sojourn_metrics::tail::tail;

use crate::plan::Plan;
use crate::rounds::PointResult;

/// What is asked of a plan of one point; `None` where nothing is, or where the point failed.
pub fn of(plan: &Plan, finished: &[PointResult]) -> Option<TailSummary> {
    let ([point], [finished]) = (&plan.points[..], finished) else { return None };
    let share = plan.tail.filter(|_| finished.failure.is_none())?;
    Some(tail(&point.spec.probe, share, &finished.records))
}

/// That the samples do not give the quantile asked for.
pub fn too_few(tail: &TailSummary) -> Option<String> {
    let why = tail.why.as_ref()?;
    let more =
        tail.needed_replications.map_or(String::new(), |needed| format!("; about --replications {needed} would do"));
    Some(format!("the {} that a share of {:e} exceeds is not known: {why}{more}", tail.metric, tail.probability))
}

#[cfg(test)]
mod tests {
    use sojourn_catalogue::NETWORKS;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::Runs;
    use crate::points::ScenarioBase;
    use crate::rounds::Rounds;

    /// A queue of services of mean 1 s, at a load of 0.5.
    fn queue(service: &str, replications: u32, duration: &str) -> String {
        format!(
            r#"
[network]
kind = "queue"

[run]
seed = 3
warm_up = "60 s"
duration = "{duration}"
replications = {replications}

[[station]]
name = "server"
service = {{ kind = "{service}", mean = "1 s" }}

[[flow]]
name = "customers"
path = ["server"]
arrivals = {{ kind = "poisson", interval = "2 s" }}
"#
        )
    }

    fn tail_of(scenario: &str, share: f64) -> TailSummary {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let base =
            ScenarioBase::new(NETWORKS, NETWORKS.kinds().parse("queue.toml", scenario).unwrap(), "queue".to_owned());
        let plan = Plan { tail: Some(share), ..Plan::of(base, &[], &Runs::default()).unwrap() };
        let spec = &plan.points[0].spec;
        let mut rounds = Rounds::new(0, spec.clone());
        let mut items = rounds.begin();
        while let Some(item) = items.pop() {
            let record = spec.model.replicate(spec.key("", item, false).replication(&NEVER));
            items.extend(rounds.ended(item, Ok(record)));
        }
        of(&plan, &[rounds.finished().unwrap()]).unwrap()
    }

    /// The quantile is within its interval's width of the expected one, and the interval is narrow.
    fn assert_tail(found: &TailSummary, expected: f64) {
        let (low, high) = found.ci95.unwrap_or_else(|| panic!("{found:?}"));
        let (high, quantile) = (high.unwrap(), found.quantile.unwrap());
        assert!(low <= quantile && quantile <= high);
        // the interval is of 95 %: one and a half times as far, so that the test fails by error and not by chance
        let reach = 1.5;
        assert!(
            quantile - reach * (quantile - low) < expected && expected < quantile + reach * (high - quantile),
            "{found:?}, not {expected}"
        );
        assert!(high - low < 0.35 * expected, "{found:?} says nothing");
    }

    #[test]
    fn the_time_that_1_in_10_000_exceeds_is_that_of_m_m_1() {
        // L. Kleinrock, 1975, 5.7: sojourn times are exponential with the rate of services less that of arrivals
        let found = tail_of(&queue("exponential", 120, "100000 s"), 1e-4);
        assert_tail(&found, 2.0 * libm::log(1e4));
    }

    #[test]
    fn the_time_that_1_in_100_000_exceeds_is_that_of_m_d_1() {
        let (load, share) = (0.5, 1e-5);
        // waiting times beyond t have C e^-rt of the customers, r the root of load (e^r - 1) = r and C = (1 - load) /
        // (load e^r - 1) with services of 1 (H. Cramer; W. Feller, volume II, 1971, XII.5); the sojourn is one service longer
        let (mut low, mut high) = (0.1f64, 10.0f64);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if load * libm::expm1(middle) < middle { low = middle } else { high = middle }
        }
        let rate = low;
        assert!((rate - 1.2564).abs() < 1e-3, "{rate}");
        let constant = (1.0 - load) / (load * libm::exp(rate) - 1.0);
        let found = tail_of(&queue("deterministic", 120, "100000 s"), share);
        assert_tail(&found, 1.0 + libm::log(constant / share) / rate);
    }

    #[test]
    fn a_share_that_the_samples_do_not_reach_is_refused_with_the_replications_that_would_do() {
        let few = tail_of(&queue("exponential", 4, "10000 s"), 1e-6);
        assert_eq!(few.quantile, None);
        let needed = few.needed_replications.unwrap();
        // 20 000 customers: 12 times 1e6 and more, as long times come in clusters
        assert!(needed > 2400, "{needed}");
        let said = too_few(&few).unwrap();
        assert!(
            said.contains("a share of 1e-6") && said.ends_with(&format!("--replications {needed} would do")),
            "{said}"
        );
    }
}
