//! Placement of levels by pilot runs, each of which reaches beyond the levels of the previous one.
//!
//! A level is placed where a path spends about half of the time for which it was above the previous level, and the
//! number of copies compensates that share: the product of all copies is kept near the inverse of the share of time
//! above, which is optimal for RESTART up to constants (Villén-Altamirano, 2002). A level counts only if several
//! pilots have been above it.
//!
//! A copy can cost more than the events in its life, for instance at a site of many stations whose queues exceed a
//! threshold for moments only; making copies at each rise is then most of the effort. That cost is added to the time
//! above, so the first level is placed where rises are rare enough. Levels are further apart, and copies survive
//! below the threshold, so each copy shows more.
//!
//! The last level is where most paths reach the event anyway: copies made there would repeat one path.

use std::collections::BTreeMap;

use sojourn_engine::splitting::{Level, Tally};

/// Pilots that must have been at an importance for a level there.
const PILOTS_THERE: usize = 3;
/// States in which pilots must have been there.
const VISITS_THERE: u64 = 50;
/// Product of copies that a level has to add at least.
const LEAST_STEP: f64 = 1.6;
/// The same where copies are dear.
const LEAST_DEAR_STEP: f64 = 4.0;
/// A dear copy lives, on average, at least for this part of the time that it took to make.
const LIFE_OF_COPY: f64 = 0.5;
/// Above a level from which this share of the rising paths reaches the event, no further level is placed.
const LIKELY: f64 = 0.2;
/// Where so much of a pilot's weight comes to the event, before its observation begins or after, the replication itself did, and
/// its copies show one path to it.
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
        pilots.iter().filter(|pilot| !is_split(pilot) || pilot.begun_in + pilot.occurrences < INEVITABLE).collect();
    let above = tails(&pilots);
    let total = above.first_key_value().map_or(0.0, |(_, above)| above.time);
    let cost_s = cost_of_copy(&pilots);
    // what of the share of effort the levels so far make up for
    let (mut levels, mut balanced): (Vec<Level>, f64) = (Vec::new(), 1.0);
    for (&from, here) in above.range(1..=most) {
        if here.pilots < PILOTS_THERE || here.visits < VISITS_THERE || here.time <= 0.0 {
            break;
        }
        let copying = here.rises * cost_s;
        let is_dear = here.time < copying;
        // rounded copies are made up for by the next level
        let step = total / (here.time + copying) / balanced;
        if step < if is_dear { LEAST_DEAR_STEP } else { LEAST_STEP } {
            continue;
        }
        let copies = step.round().clamp(2.0, MOST_COPIES);
        balanced *= copies;
        // a level is not left before the one below it
        let below = levels.last().map_or(0, |below| below.until);
        let until = if is_dear { until_for(&above, from, LIFE_OF_COPY * cost_s).max(below) } else { from };
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

/// The highest threshold down to which a path takes so long to fall from `from`, on average: below each importance between it
/// falls as it would had it just risen there. At least 1, so that a path leaves it.
fn until_for(above: &BTreeMap<u64, Above>, from: u64, time: f64) -> u64 {
    let mut falling = 0.0;
    let fallen = above.range(1..=from).rev().find(|(_, above)| {
        falling += above.time / above.rises;
        falling >= time
    });
    fallen.map_or(1, |(&importance, _)| importance)
}

/// How many of the levels that pilots were split at are needed: those up to the first whose paths are likely to come to the
/// event.
pub fn needed(levels: &[Level], pilots: &[Tally]) -> usize {
    let (mut weights, mut weight) = (vec![1.0], 1.0);
    for level in levels {
        weight /= f64::from(level.copies);
        weights.push(weight);
    }
    let sum = |part: &dyn Fn(&Tally) -> f64| pilots.iter().map(part).sum::<f64>();
    let comes = |number: &usize| {
        let at = |pilot: &Tally, level: usize| pilot.levels.get(level).copied().unwrap_or_default();
        let occurred = |pilot: &Tally| {
            (*number..=levels.len()).map(|level| weights[level] * at(pilot, level).occurrences as f64).sum()
        };
        // a path is split after it has come there
        let reached = weights[number - 1] * sum(&|pilot| at(pilot, *number).reached);
        reached > 0.0 && sum(&occurred) >= LIKELY * reached
    };
    (1..=levels.len()).find(comes).unwrap_or(levels.len())
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
    fn dear_copies_begin_where_rises_are_rare_and_live_on_below_their_threshold() {
        let cheap = place(&vec![pilot(0.5, 30); 4], 12);
        assert!(cheap.iter().all(|level| level.until == level.from));
        // to make a copy takes as long as 5 stays of 2 s above an importance: copies live for half of it
        let dear = place(&vec![Tally { cost_of_copy: 10, ..pilot(0.5, 30) }; 4], 12);
        assert_eq!(dear.iter().map(|level| level.from).collect::<Vec<_>>(), [5, 7, 9, 11]);
        assert_eq!(dear.iter().map(|level| level.until).collect::<Vec<_>>(), [3, 5, 7, 9]);
        assert_eq!(dear.iter().map(|level| level.copies).collect::<Vec<_>>(), [5, 4, 4, 4]);
    }

    #[test]
    fn where_copies_are_cheap_again_the_time_above_counts_alone() {
        let mut pilots = vec![Tally { cost_of_copy: 10, ..pilot(0.5, 30) }; 4];
        for (_, visits) in pilots.iter_mut().flat_map(|pilot| pilot.course.range_mut(7..)) {
            // paths stay there
            visits.rises *= 1e-3;
        }
        let levels = place(&pilots, 12);
        assert_eq!(levels[0], Level { from: 5, until: 3, copies: 5 });
        assert!(levels[1..].iter().all(|level| level.until == level.from));
        let product: f64 = levels.iter().map(|level| f64::from(level.copies)).product();
        assert!((0.6..1.7).contains(&(product / 2f64.powi(12))), "{product}");
    }

    #[test]
    fn levels_above_one_whose_paths_come_to_the_event_anyway_are_not_needed() {
        let levels = [Level::new(3, 4), Level::new(6, 4), Level::new(9, 4)];
        let tally = |occurrences: u64| {
            let reached = |reached| LevelTally { reached, ..LevelTally::default() };
            let mut levels = vec![reached(0.0), reached(100.0), reached(100.0), reached(100.0)];
            levels[3].occurrences = occurrences;
            [Tally { levels, ..Tally::default() }]
        };
        // 100 paths rise to the second level with a weight of 1/4 each; 320 with 1/64 come to the event, a fifth of those
        assert_eq!([0, 100, 319, 320, 1280].map(|occurrences| needed(&levels, &tally(occurrences))), [3, 3, 3, 2, 1]);
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
