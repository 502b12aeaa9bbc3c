//! Control variates: the mean over replications, corrected by the deviation of the replications' inputs from their
//! known expectation (S. S. Lavenberg, P. D. Welch, *A perspective on the use of control variables to increase the
//! efficiency of Monte Carlo simulations*, Management Science 27, 1981).
//!
//! Each replication is corrected by coefficients estimated from all others (splitting; A. N. Avramidis, J. R. Wilson,
//! *A splitting scheme for control variates*, Operations Research Letters 14, 1993): these are independent of it, so
//! the correction has expectation 0 whatever the distribution. The interval is the jackknife's (B. L. Nelson,
//! *Control variate remedies*, Operations Research 38, 1990), with one degree of freedom less for each control.

use crate::interval::{self, Interval};
use crate::student;

/// With fewer replications nothing is corrected: coefficients from few replications add more than they take away.
pub const FEWEST: usize = 20;

/// Replications for each control, at least.
const FOR_EACH: usize = 10;

/// A control that is a sum of others, but for this part of its variance, is left out.
const OWN_PART: f64 = 1e-9;

/// A corrected mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// The mean, with the same expectation as that of the values.
    pub mean: f64,
    /// Its 95 % interval.
    pub ci95: Interval,
    /// How many times as many replications the mean of the values would need for an interval of this width.
    pub saved: f64,
}

/// Replications that this many controls need.
pub fn fewest(controls: usize) -> usize {
    FEWEST.max(FOR_EACH * controls)
}

/// The mean of one value per replication, corrected by controls: of each replication as many deviations, each of expectation 0.
/// `None` of too few replications, and where no control varies.
pub fn mean(values: &[f64], deviations: &[Vec<f64>]) -> Option<Corrected> {
    let rows = independent(deviations);
    let controls = rows.first()?.len() - 1;
    if controls == 0 || values.len() != rows.len() || values.len() < fewest(controls) {
        return None;
    }
    let count = values.len() as f64;
    let inverse = inverse_of_squares(&rows)?;
    let moments: Vec<f64> =
        (0..=controls).map(|at| rows.iter().zip(values).map(|(row, value)| row[at] * value).sum()).collect();
    let fitted = times(&inverse, &moments);
    let (mut corrected, mut pseudo) = (Vec::new(), Vec::new());
    for (row, value) in rows.iter().zip(values) {
        let weights = times(&inverse, row);
        let own = 1.0 - dot(row, &weights);
        if own <= OWN_PART {
            return None;
        }
        // the fit of all other replications
        let step = (value - dot(row, &fitted)) / own;
        let of_others: Vec<f64> = fitted.iter().zip(&weights).map(|(all, weight)| all - weight * step).collect();
        corrected.push(value - dot(&row[1..], &of_others[1..]));
        pseudo.push(count * fitted[0] - (count - 1.0) * of_others[0]);
    }
    let mean = interval::mean(&corrected)?;
    let freedom = (values.len() - 1 - controls) as u64;
    let half = student::quantile(0.5 + 0.5 * interval::CONFIDENCE, freedom) * interval::standard_error(&pseudo);
    let [low, high] = interval::of_mean(values)?;
    let ratio = 0.5 * (high - low) / half;
    (half > 0.0).then_some(Corrected { mean, ci95: [mean - half, mean + half], saved: ratio * ratio })
}

/// For each replication a 1 and those deviations that vary, each by itself.
fn independent(deviations: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; deviations.len()];
    // what of each is left without those before it, to recognise those that are their sums
    let mut basis: Vec<Vec<f64>> = vec![vec![1.0; deviations.len()]];
    for control in 0..deviations.first().map_or(0, Vec::len) {
        let column: Vec<f64> = deviations.iter().map(|row| row[control]).collect();
        let mut left = column.clone();
        for before in &basis {
            let share = dot(&left, before) / dot(before, before);
            left.iter_mut().zip(before).for_each(|(left, before)| *left -= share * before);
        }
        if dot(&left, &left) > OWN_PART * dot(&column, &column) {
            basis.push(left);
            rows.iter_mut().zip(&column).for_each(|(row, deviation)| row.push(*deviation));
        }
    }
    rows
}

/// The inverse of the sums of squares and products of the columns, by Gauss-Jordan elimination.
fn inverse_of_squares(rows: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = rows.first()?.len();
    let sum = |one: usize, other: usize| rows.iter().map(|row| row[one] * row[other]).sum::<f64>();
    let unit = |one: usize, other: usize| if one == other { 1.0 } else { 0.0 };
    let mut left: Vec<Vec<f64>> = (0..size).map(|row| (0..size).map(|column| sum(row, column)).collect()).collect();
    let mut right: Vec<Vec<f64>> = (0..size).map(|row| (0..size).map(|column| unit(row, column)).collect()).collect();
    for pivot in 0..size {
        let divisor = Some(left[pivot][pivot]).filter(|divisor| *divisor > 0.0)?;
        for matrix in [&mut left, &mut right] {
            matrix[pivot].iter_mut().for_each(|entry| *entry /= divisor);
        }
        for row in (0..size).filter(|row| *row != pivot) {
            let factor = left[row][pivot];
            for matrix in [&mut left, &mut right] {
                let taken = matrix[pivot].clone();
                matrix[row].iter_mut().zip(taken).for_each(|(entry, of_pivot)| *entry -= factor * of_pivot);
            }
        }
    }
    Some(right)
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    /// Uniform numbers around 0.
    fn draws(stream: &str, count: usize) -> Vec<f64> {
        let mut stream = Streams::new(3, 0).stream(stream);
        (0..count).map(|_| stream.unit() - 0.5).collect()
    }

    fn rows(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
        (0..columns[0].len()).map(|at| columns.iter().map(|column| column[at]).collect()).collect()
    }

    #[test]
    fn a_value_that_follows_its_controls_leaves_its_own_part_alone() {
        let (first, second, own) = (draws("first", 40), draws("second", 40), draws("own", 40));
        let values: Vec<f64> = (0..40).map(|at| 5.0 + 3.0 * first[at] - 2.0 * second[at] + 0.1 * own[at]).collect();
        let corrected = mean(&values, &rows(&[first, second])).unwrap();
        // without controls the standard deviation is that of 3, 2 and 0.1 uniform numbers: sqrt(13.01 / 0.01) times as much
        assert!((800.0..1600.0).contains(&corrected.saved), "{corrected:?}");
        assert!(corrected.ci95[0] < 5.0 && 5.0 < corrected.ci95[1] && corrected.ci95[1] - corrected.ci95[0] < 0.025);
    }

    #[test]
    fn the_coefficients_of_each_replication_are_those_of_the_others() {
        let (control, values) = (draws("control", 21), draws("values", 21));
        let corrected = mean(&values, &rows(std::slice::from_ref(&control))).unwrap();
        let expected: f64 = (0..21)
            .map(|left_out| {
                let others = || (0..21).filter(|at| *at != left_out);
                let mean_of = |of: &[f64]| others().map(|at| of[at]).sum::<f64>() / 20.0;
                let (centre, middle) = (mean_of(&control), mean_of(&values));
                let product: f64 = others().map(|at| (control[at] - centre) * (values[at] - middle)).sum();
                let square: f64 = others().map(|at| (control[at] - centre) * (control[at] - centre)).sum();
                values[left_out] - product / square * control[left_out]
            })
            .sum();
        assert!((corrected.mean - expected / 21.0).abs() < 1e-12, "{corrected:?}");
    }

    #[test]
    fn a_control_that_is_a_sum_of_others_or_never_varies_counts_for_nothing() {
        let (first, second, own) = (draws("first", 30), draws("second", 30), draws("own", 30));
        let values: Vec<f64> = (0..30).map(|at| first[at] + second[at] + own[at]).collect();
        let sum: Vec<f64> = (0..30).map(|at| 2.0 * first[at] - second[at]).collect();
        let alone = mean(&values, &rows(&[first.clone(), second.clone()]));
        assert_eq!(mean(&values, &rows(&[first, vec![0.0; 30], second, sum, vec![7.0; 30]])), alone);
        assert!(alone.is_some());
        assert_eq!(mean(&values, &vec![vec![0.0]; 30]), None);
    }

    #[test]
    fn few_replications_are_left_as_they_are() {
        let (controls, values) = (draws("control", 60), draws("values", 60));
        let corrected = |count: usize| mean(&values[..count], &rows(&[controls[..count].to_vec()]));
        assert!(corrected(19).is_none() && corrected(20).is_some());
        let three = |count: usize| {
            let columns: Vec<Vec<f64>> = ["a", "b", "c"].iter().map(|name| draws(name, count)).collect();
            mean(&values[..count], &rows(&columns))
        };
        assert!(three(29).is_none() && three(30).is_some());
    }
}
