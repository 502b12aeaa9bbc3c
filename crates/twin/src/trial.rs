//! Selects, by simulation, the scenario that reproduces a capture best among those it allows.

use std::ops::Range;

use super::behaviour::{Behaviour, Likeness};
use super::scenario::Twin;

/// Seeds of the runs of a scenario.
const SEEDS: Range<u64> = 1001..1004;

/// Runs of each scenario.
pub const RUNS: u64 = SEEDS.end - SEEDS.start;

/// Where the response times of a simulation can be compared with those of the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// In a capture of the simulation.
    Captured,
    /// As the clients of the simulation see them: the point of capture is beside them.
    AtClients,
    /// Nowhere: the point of capture is somewhere between, and a simulation is captured where packets arrive.
    Nowhere,
}

/// The scenario that came closest, and how close.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The scenario.
    pub twin: Twin,
    /// How like the capture it is; `None` if it could not be simulated.
    pub likeness: Option<Likeness>,
    /// Scenarios simulated.
    pub of: usize,
}

/// The scenario of `readings`, of which there is at least one, whose runs are most like `observed`. `simulate` runs one with a seed.
pub fn choose(
    readings: Vec<Twin>,
    observed: &Behaviour,
    mut simulate: impl FnMut(&Twin, u64) -> Option<Behaviour>,
) -> Tried {
    let of = readings.len();
    let mut likeness = |twin: &Twin| {
        let mut whole = Behaviour::default();
        for seed in SEEDS {
            whole.merge(&simulate(twin, seed)?);
        }
        Some(whole.likeness(observed))
    };
    let tried = readings.into_iter().map(|twin| (likeness(&twin), twin));
    let nearest = tried.min_by(|(one, _), (other, _)| distance(*one).total_cmp(&distance(*other)));
    let (likeness, twin) = nearest.expect("a reading");
    Tried { twin, likeness, of }
}

fn distance(likeness: Option<Likeness>) -> f64 {
    likeness.map_or(f64::INFINITY, |likeness| likeness.distance)
}

#[cfg(test)]
mod tests {
    use super::super::behaviour::Transfers;
    use super::*;

    fn twin(name: &str) -> Twin {
        Twin { scenario: name.to_owned(), traces: Vec::new(), doubts: Vec::new() }
    }

    /// A network whose transfers carried so much.
    fn carrying(octets: u64) -> Behaviour {
        Behaviour { seconds: 1.0, transfers: Transfers { octets, ..Transfers::default() }, ..Behaviour::default() }
    }

    #[test]
    fn the_scenario_whose_simulation_is_nearest_is_chosen_and_one_that_cannot_be_simulated_is_not() {
        let simulate = |twin: &Twin, _| twin.scenario.parse().ok().map(carrying);
        let readings = ["none", "500", "990", "2000"].map(twin).to_vec();
        let tried = choose(readings, &carrying(1000), simulate);
        assert_eq!((tried.twin.scenario.as_str(), tried.of), ("990", 4));
        assert!(tried.likeness.is_some_and(|likeness| (likeness.goodput - 0.99).abs() < 1e-9));
    }

    #[test]
    fn the_likeliest_scenario_stands_where_none_can_be_simulated() {
        let tried = choose(vec![twin("first"), twin("second")], &carrying(1), |_, _| None);
        assert_eq!((tried.twin.scenario.as_str(), tried.likeness), ("first", None));
    }
}
