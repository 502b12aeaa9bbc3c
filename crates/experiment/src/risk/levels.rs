//! Where levels are: placed by pilot runs, each of which goes beyond the levels of the one before.
//!
//! A level is where a path has spent about half the time above the level before, and as many paths go on from it as balance
//! that share: the product of all of them is kept near the inverse of the share of time above, which is optimal for RESTART
//! up to constants (Villén-Altamirano, 2002). A level counts only where several pilots have been above it.
//!
//! Where a copy costs more than the events it lives for, as of a site of many stations whose queues are above a threshold for
//! moments, levels are further apart, and copies live on until they fall below the level before: fewer are made, and each
//! shows more.

use std::collections::BTreeMap;

use sojourn_engine::splitting::{Level, Tally};

/// Pilots that must have been at an importance for a level there.
const PILOTS_THERE: usize = 3;
/// States in which pilots must have been there.
const VISITS_THERE: u64 = 50;
/// Product of copies that a level has to add at least.
const LEAST_STEP: f64 = 1.6;
/// By how much a level is rarer than the one before at least where copies are dear. They live longer than a path is above the
/// threshold, so that their number is less than that, to this power.
const LEAST_DEAR_STEP: f64 = 8.0;
const DEAR_POWER: f64 = 0.7;
/// Where so much of a pilot's weight comes to the event, it was bound for the event when its observation began, and does not
/// show how paths come to it.
const INEVITABLE: f64 = 0.5;
/// Most copies at a level.
const MOST_COPIES: f64 = 10.0;

/// How long, how often, and by how many pilots, an importance or more was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Above {
    time: f64,
    visits: u64,
    /// Rises to it from below.
    rises: f64,
    pilots: usize,
}

/// The levels that pilots show, none above `most`.
pub fn place(pilots: &[Tally], most: u64) -> Vec<Level> {
    let is_split = |pilot: &Tally| pilot.levels.len() > 1;
    let pilots: Vec<&Tally> =
        pilots.iter().filter(|pilot| !is_split(pilot) || pilot.occurrences < INEVITABLE).collect();
    let above = tails(&pilots);
    let total = above.first_key_value().map_or(0.0, |(_, above)| above.time);
    let cost_s = cost_of_copy(&pilots);
    // what of the share of time the levels so far make up for
    let (mut levels, mut balanced, mut before): (Vec<Level>, f64, f64) = (Vec::new(), 1.0, total);
    for (&from, here) in above.range(1..=most) {
        if here.pilots < PILOTS_THERE || here.visits < VISITS_THERE || here.time <= 0.0 {
            break;
        }
        let is_dear = here.time < here.rises * cost_s;
        // rounded copies are made up for by the next level; dear ones, which live longer, are fewer on purpose
        let step = if is_dear { before / here.time } else { total / here.time / balanced };
        if step < if is_dear { LEAST_DEAR_STEP } else { LEAST_STEP } {
            continue;
        }
        let copies = if is_dear { libm::pow(step, DEAR_POWER) } else { step };
        let copies = copies.round().clamp(2.0, MOST_COPIES);
        let until = match levels.last() {
            _ if !is_dear => from,
            Some(below) => below.from,
            None => likelier(&above, from, copies * here.time),
        };
        // a level is not left before the one below it
        let until = until.max(levels.last().map_or(0, |below| below.until));
        balanced = if is_dear { total / here.time } else { balanced * copies };
        before = here.time;
        levels.push(Level { from, until, copies: copies as u32 });
    }
    levels
}

/// Seconds of a path that are simulated in the time that a copy takes to be made.
fn cost_of_copy(pilots: &[&Tally]) -> f64 {
    let events: f64 = pilots.iter().map(|pilot| pilot.events as f64).sum();
    let simulated: f64 = pilots.iter().map(|pilot| pilot.simulated).sum();
    let cost = pilots.iter().map(|pilot| pilot.cost_of_copy).max().unwrap_or(0) as f64;
    if events > 0.0 { cost * simulated / events } else { 0.0 }
}

/// The highest importance up to `from` that is seen for `time`; at least 1, so that a path leaves it.
fn likelier(above: &BTreeMap<u64, Above>, from: u64, time: f64) -> u64 {
    let seen = above.range(1..=from).rev().find(|(_, above)| above.time >= time);
    seen.map_or(1, |(&importance, _)| importance)
}

/// By importance what was seen of it and of more.
fn tails(pilots: &[&Tally]) -> BTreeMap<u64, Above> {
    let mut above: BTreeMap<u64, Above> = BTreeMap::new();
    for pilot in pilots {
        for (&importance, visits) in &pilot.course {
            let here = above.entry(importance).or_default();
            here.time += visits.time;
            here.visits += visits.count;
            here.rises += visits.rises;
        }
    }
    let mut beyond = Above::default();
    for (&importance, here) in above.iter_mut().rev() {
        beyond.time += here.time;
        beyond.visits += here.visits;
        beyond.rises = here.rises;
        let there = |pilot: &&&Tally| pilot.course.range(importance..).any(|(_, visits)| visits.count > 0);
        beyond.pilots = pilots.iter().filter(there).count();
        *here = beyond;
    }
    above
}

#[cfg(test)]
mod tests {
    use sojourn_engine::splitting::{LevelTally, Visits};

    use super::*;

    /// Time falls by `ratio` with each step of importance.
    fn pilot(ratio: f64, reached: u64) -> Tally {
        let visits = |importance: u64| {
            let time = ratio.powi(importance as i32);
            Visits { count: 100, time, rises: time }
        };
        let course = (0..=reached).map(|importance| (importance, visits(importance))).collect();
        Tally { course, events: 1000, simulated: 1000.0, ..Tally::default() }
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
    fn dear_copies_are_fewer_and_live_until_the_level_before() {
        let cheap = place(&vec![pilot(0.5, 30); 4], 12);
        assert!(cheap.iter().all(|level| level.until == level.from));
        let pilots = vec![Tally { cost_of_copy: 100, ..pilot(0.5, 30) }; 4];
        let dear = place(&pilots, 12);
        assert_eq!(dear.iter().map(|level| level.from).collect::<Vec<_>>(), [3, 6, 9, 12]);
        assert_eq!(dear.iter().map(|level| level.until).collect::<Vec<_>>(), [1, 3, 6, 9]);
        assert!(dear.iter().all(|level| level.copies == 4));
    }

    #[test]
    fn copies_that_are_cheap_further_up_do_not_make_up_for_dear_ones_below() {
        let mut pilots = vec![Tally { cost_of_copy: 100, ..pilot(0.5, 30) }; 4];
        for (_, visits) in pilots.iter_mut().flat_map(|pilot| pilot.course.range_mut(7..)) {
            // paths stay there
            visits.rises *= 1e-3;
        }
        let levels = place(&pilots, 12);
        assert_eq!(levels.iter().map(|level| level.from).collect::<Vec<_>>(), [3, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(levels.iter().map(|level| level.copies).collect::<Vec<_>>(), [4, 4, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn a_pilot_that_is_in_the_event_from_its_start_moves_no_level() {
        let split = vec![LevelTally::default(); 3];
        let pilots = vec![Tally { levels: split.clone(), ..pilot(0.5, 30) }; 7];
        let expected = place(&pilots, 12);
        let collapsed = (40..60).map(|importance| (importance, Visits { count: 10_000, time: 1.0, rises: 1.0 }));
        let in_it = Tally { occurrences: 0.99, levels: split, course: collapsed.collect(), ..pilots[0].clone() };
        assert_eq!(place(&[pilots, vec![in_it]].concat(), 12), expected);
    }

    #[test]
    fn there_is_no_level_where_few_pilots_have_been() {
        let mut pilots = vec![pilot(0.5, 3); 6];
        pilots[0] = pilot(0.5, 9);
        assert_eq!(place(&pilots, 20).last().map(|level| level.from), Some(3));
        assert_eq!(place(&[], 20), []);
    }
}
