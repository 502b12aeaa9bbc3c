//! Offered and carried load of a resource.

use serde::{Deserialize, Serialize};

/// A link, a queue, a processor, a channel in one replication, after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// What is counted, in results' units: `"packets/s"`; `"1"` for the share of its time that work takes.
    pub unit: String,
    /// What arrived, what was lost included.
    pub offered: f64,
    /// What was served.
    pub carried: f64,
    /// Share of its time that it was busy; `None` where that cannot be seen, as of a host at the other end of a path.
    pub utilisation: Option<f64>,
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
            utilisation: Some(utilisation),
            demand: (served > 0.0).then(|| utilisation * accepted / served),
        }
    }

    /// Of a resource of which only its answers are seen.
    pub fn seen_from_afar(unit: &str, offered: f64, carried: f64) -> Load {
        Load { unit: unit.to_owned(), offered, carried, utilisation: None, demand: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_longer_at_the_end_than_at_the_begin_are_work_that_was_not_done() {
        // 3000 arrived in 2000 s, of which 1333 were served, all the time
        let load = Load::of_jobs("customers/s", [1333, 0], 667.0, 1.0, 2000.0);
        assert_eq!((load.offered, load.carried), (1.0, 0.6665));
        assert!((load.demand.unwrap() - 1.5).abs() < 1e-3);
        let lossy = Load::of_jobs("packets/s", [100, 50], 0.0, 1.0, 1.0);
        assert_eq!((lossy.offered, lossy.demand), (150.0, Some(1.0)), "what is dropped is not work");
    }

    #[test]
    fn a_demand_follows_what_is_expected_in_place_of_what_was_drawn() {
        let load = Load::of_jobs("packets/s", [990, 0], 0.0, 0.99, 1.0).expecting(1010.0, 990.0);
        assert!((load.demand.unwrap() - 1.01).abs() < 1e-12);
    }
}
