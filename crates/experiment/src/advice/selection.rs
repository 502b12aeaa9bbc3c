//! Fully sequential selection of the best of several alternatives whose replications share their random streams.
//!
//! An alternative is eliminated once its mean is worse than that of another by more than an allowance that shrinks with
//! every replication: the procedure KN of S.-H. Kim and B. L. Nelson, "A fully sequential procedure for indifference-zone
//! selection in simulation", ACM TOMACS 11, 2001, with c = 1. Its variances are those of the differences of the first
//! replications, so common random streams shorten it. If the best is better than every other by the indifference at least, it
//! is selected with a probability of at least one minus the error; the values are taken to be normal. Looking after some of
//! the replications only errs less often than after each.

/// The procedure after the first replications. Smaller values are better.
#[derive(Clone, Debug)]
pub struct Selection {
    indifference: f64,
    /// The constant h squared of the procedure.
    spread: f64,
    /// Variance of the difference of each pair, by both numbers.
    variances: Vec<Vec<f64>>,
}

impl Selection {
    /// From the first replications of each alternative, `replications` of each, none of one that is out; an indifference above
    /// zero, and how often the wrong one may be selected.
    pub fn new(first: &[Vec<f64>], replications: usize, indifference: f64, error: f64) -> Selection {
        let degrees = replications.saturating_sub(1).max(1) as f64;
        let rivals = first.len().saturating_sub(1).max(1) as f64;
        let eta = 0.5 * (libm::pow(2.0 * error / rivals, -2.0 / degrees) - 1.0);
        let variances = first.iter().map(|one| first.iter().map(|other| variance(one, other)).collect()).collect();
        Selection { indifference, spread: 2.0 * eta * degrees, variances }
    }

    /// The smallest difference that counts.
    pub fn indifference(&self) -> f64 {
        self.indifference
    }

    /// By how much the mean of one alternative may be worse than that of another after this many replications: 0 once a
    /// smaller difference than the indifference is all that can be left.
    pub fn allowance(&self, one: usize, other: usize, replications: usize) -> f64 {
        let (width, done) = (self.indifference, replications as f64);
        (width / (2.0 * done) * (self.spread * self.variances[one][other] / (width * width) - done)).max(0.0)
    }
}

/// The variance of the differences of two alternatives in the same replications.
fn variance(one: &[f64], other: &[f64]) -> f64 {
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares = differences.iter().map(|difference| (difference - mean) * (difference - mean)).sum::<f64>();
    squares / (count - 1.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    /// Normal values about a mean, with a part that all alternatives share.
    fn drawn(search: u64, alternative: usize, replication: usize, mean: f64) -> f64 {
        let normal = |name: String| {
            let mut stream = Streams::new(search, replication as u32).stream(&name);
            sojourn_engine::sample::standard_normal(&mut stream)
        };
        mean + 2.0 * normal("shared".into()) + normal(format!("own/{alternative}"))
    }

    /// Selects among alternatives of these means: which one, and the replications of all of them.
    fn select(search: u64, means: &[f64], indifference: f64) -> (usize, usize) {
        let (first, mut values) = (10, vec![Vec::new(); means.len()]);
        let extend = |values: &mut Vec<Vec<f64>>, alive: &[usize], until: usize| {
            for &one in alive {
                for replication in values[one].len()..until {
                    values[one].push(drawn(search, one, replication, means[one]));
                }
            }
        };
        let mut alive: Vec<usize> = (0..means.len()).collect();
        extend(&mut values, &alive, first);
        let selection = Selection::new(&values, first, indifference, 0.05);
        let mut done = first;
        while alive.len() > 1 {
            let mean = |one: usize| values[one].iter().sum::<f64>() / done as f64;
            let beaten = |one: &usize| {
                alive
                    .iter()
                    .any(|&other| other != *one && mean(*one) - mean(other) > selection.allowance(*one, other, done))
            };
            let beaten: Vec<usize> = alive.iter().copied().filter(beaten).collect();
            alive.retain(|one| !beaten.contains(one));
            if alive.len() > 1 {
                done += 1;
                extend(&mut values, &alive, done);
            }
        }
        (alive[0], values.iter().map(Vec::len).sum())
    }

    #[test]
    fn the_constants_are_those_of_the_published_procedure() {
        // k = 9, n0 = 10, alpha = 0.05: eta = ((0.1 / 8)^(-2/9) - 1) / 2, h^2 = 18 eta
        let first = [vec![0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0], vec![0.0; 10]];
        let nine = Selection::new(&[&first[..], &vec![vec![1.0; 10]; 7]].concat(), 10, 1.0, 0.05);
        assert!((nine.spread - 14.83).abs() < 0.01, "{}", nine.spread);
        // S^2 = 10/9: the allowance after 10 is (14.83 * 10/9 - 10) / 20, and 0 from 17 on
        assert!((nine.allowance(0, 1, 10) - (nine.spread * 10.0 / 9.0 - 10.0) / 20.0).abs() < 1e-12);
        assert!(nine.allowance(0, 1, 16) > 0.0 && nine.allowance(0, 1, 17) == 0.0);
        // alternatives that never differ are distinguished at once
        assert_eq!(nine.allowance(2, 3, 10), 0.0);
    }

    #[test]
    fn the_best_of_nine_is_selected_in_95_of_100_searches_where_all_others_are_as_close_as_they_may_be() {
        // the configuration that is hardest: all others are worse by the indifference
        let means = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let searches: Vec<(usize, usize)> = (0..400).map(|search| select(search, &means, 1.0)).collect();
        let right = searches.iter().filter(|(selected, _)| *selected == 0).count();
        assert!(right >= 380, "{right} of 400");
    }

    #[test]
    fn alternatives_that_are_far_worse_end_with_the_first_replications() {
        let (selected, replications) = select(1, &[0.0, 40.0, 40.0, 40.0], 1.0);
        assert_eq!((selected, replications), (0, 40));
    }
}
