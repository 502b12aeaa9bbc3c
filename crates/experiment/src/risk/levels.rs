//! Where levels are: placed by pilot runs, each of which goes beyond the levels of the one before.
//!
//! A level is where a path has spent about half the time above the level before, and as many paths go on from it as balance
//! that share: the product of all of them is kept near the inverse of the share of time above, which is optimal for RESTART
//! up to constants (Villén-Altamirano, 2002). A level counts only where several pilots have been above it.

use std::collections::BTreeMap;

use sojourn_engine::splitting::{Level, Tally};

/// Pilots that must have been at an importance for a level there.
const PILOTS_THERE: usize = 3;
/// States in which pilots must have been there.
const VISITS_THERE: u64 = 50;
/// Product of copies that a level has to add at least.
const LEAST_STEP: f64 = 1.6;
/// Most copies at a level.
const MOST_COPIES: f64 = 10.0;

/// How long, and by how many pilots, an importance or more was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Above {
    time: f64,
    visits: u64,
    pilots: usize,
}

/// The levels that pilots show, none above `most`.
pub fn place(pilots: &[Tally], most: u64) -> Vec<Level> {
    let above = tails(pilots);
    let total = above.first_key_value().map_or(0.0, |(_, above)| above.time);
    let (mut levels, mut product) = (Vec::new(), 1.0);
    for (&from, above) in above.range(1..=most) {
        if above.pilots < PILOTS_THERE || above.visits < VISITS_THERE || above.time <= 0.0 {
            break;
        }
        let step = total / above.time / product;
        if step >= LEAST_STEP {
            let copies = step.round().clamp(2.0, MOST_COPIES);
            product *= copies;
            levels.push(Level { from, copies: copies as u32 });
        }
    }
    levels
}

/// By importance what was seen of it and of more.
fn tails(pilots: &[Tally]) -> BTreeMap<u64, Above> {
    let mut above: BTreeMap<u64, Above> = BTreeMap::new();
    for pilot in pilots {
        for (&importance, visits) in &pilot.course {
            let here = above.entry(importance).or_default();
            here.time += visits.time;
            here.visits += visits.count;
        }
    }
    let mut beyond = Above::default();
    for (&importance, here) in above.iter_mut().rev() {
        beyond.time += here.time;
        beyond.visits += here.visits;
        let there = |pilot: &&Tally| pilot.course.range(importance..).next().is_some();
        beyond.pilots = pilots.iter().filter(there).count();
        *here = beyond;
    }
    above
}

#[cfg(test)]
mod tests {
    use sojourn_engine::splitting::Visits;

    use super::*;

    /// Time falls by `ratio` with each step of importance.
    fn pilot(ratio: f64, reached: u64) -> Tally {
        let visits = |importance: u64| Visits { count: 100, time: ratio.powi(importance as i32) };
        Tally { course: (0..=reached).map(|importance| (importance, visits(importance))).collect(), ..Tally::default() }
    }

    #[test]
    fn copies_balance_the_share_of_time_above() {
        let pilots = vec![pilot(0.5, 30); 4];
        let levels = place(&pilots, 12);
        assert_eq!(levels.len(), 12);
        let product: f64 = levels.iter().map(|level| f64::from(level.copies)).product();
        assert!((0.6..1.7).contains(&(product / 2f64.powi(12))), "{product}");
        // one step of importance in two makes a level where time falls slowly
        let product: f64 = place(&vec![pilot(0.8, 30); 4], 20).iter().map(|level| f64::from(level.copies)).product();
        assert!((0.5..2.0).contains(&(product * 0.8f64.powi(20))), "{product}");
    }

    #[test]
    fn there_is_no_level_where_few_pilots_have_been() {
        let mut pilots = vec![pilot(0.5, 3); 6];
        pilots[0] = pilot(0.5, 9);
        assert_eq!(place(&pilots, 20).last().map(|level| level.from), Some(3));
        assert_eq!(place(&[], 20), []);
    }
}
