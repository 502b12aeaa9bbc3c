//! Replications of a bistable system fall into two groups: those in which it broke down and those in which it did not.
//! The mean or a pooled percentile of both describes neither; the share of replications in each group does.

use serde::Serialize;
use sojourn_metrics::exact;

/// Two groups of replications, separated by their values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Groups {
    /// Least and largest value of the lower group, in SI units.
    pub lower: [f64; 2],
    /// Least and largest value of the upper group.
    pub upper: [f64; 2],
    /// Replications in the upper group.
    pub in_upper: usize,
    /// Number of replications in both groups.
    pub of: usize,
    /// 95 % confidence interval of the share of replications in the upper group (Clopper-Pearson).
    pub share: [f64; 2],
}

/// With fewer replications no groups are recognised.
const FEWEST: usize = 5;

/// The upper group begins at this multiple of the lower group's largest value...
const APART: f64 = 2.0;

/// ... or at this one where a group is a single replication, which may be an outlier.
const SINGLE_APART: f64 = 4.0;

impl Groups {
    /// The groups of some positive values, where the gap between them is wider than either.
    pub fn of(values: &[f64]) -> Option<Groups> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.len() < FEWEST || sorted[0] <= 0.0 {
            return None;
        }
        let ratio = |split: &usize| sorted[*split] / sorted[split - 1];
        let split = (1..sorted.len()).max_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
        let (lower, upper) = sorted.split_at(split);
        let ends = |group: &[f64]| [group[0], group[group.len() - 1]];
        let spread = |[least, largest]: [f64; 2]| largest / least;
        let (lower_ends, upper_ends) = (ends(lower), ends(upper));
        let apart = if lower.len().min(upper.len()) == 1 { SINGLE_APART } else { APART };
        let distinct = ratio(&split) >= apart && ratio(&split) > spread(lower_ends).max(spread(upper_ends));
        let (in_upper, of) = (upper.len(), sorted.len());
        let share = exact::of_share(in_upper as u64, of as u64);
        distinct.then_some(Groups { lower: lower_ends, upper: upper_ends, in_upper, of, share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_that_breaks_down_in_some_runs_has_two_groups() {
        let groups = Groups::of(&[0.018, 0.140, 0.019, 0.017, 0.018, 0.138, 0.018]).unwrap();
        assert_eq!((groups.lower, groups.upper, groups.in_upper, groups.of), ([0.017, 0.019], [0.138, 0.140], 2, 7));
    }

    #[test]
    fn values_that_scatter_are_one_group() {
        assert_eq!(Groups::of(&[0.10, 0.13, 0.17, 0.12, 0.22, 0.16, 0.11, 0.31]), None);
        assert_eq!(Groups::of(&[0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), None);
    }

    #[test]
    fn a_single_run_apart_is_a_group_only_if_it_is_far() {
        assert_eq!(Groups::of(&[0.10, 0.11, 0.12, 0.11, 0.3]), None);
        assert_eq!(Groups::of(&[0.10, 0.11, 0.12, 0.11, 0.9]).unwrap().in_upper, 1);
    }

    #[test]
    fn few_values_or_zeros_have_no_groups() {
        assert_eq!(Groups::of(&[0.1, 0.1, 0.9]), None);
        assert_eq!(Groups::of(&[0.0, 0.0, 1.0, 1.0, 1.0]), None);
    }
}
