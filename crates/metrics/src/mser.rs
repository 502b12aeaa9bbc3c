//! MSER-5: truncation of the warm-up of a replication (White, Cobb and Spratt, 2000).
//!
//! Outputs are averaged in batches of five; the cut `d` minimises the squared standard error of what is left,
//! `1/(k-d)^2 * sum over j > d of (Y_j - mean)^2`, over `0 <= d <= k/2`.

/// Outputs per batch.
const BATCH: usize = 5;

/// Number of outputs to drop at the start; `None` when the run is too short: fewer than ten batches, or
/// the best cut is the last one allowed. Lengthen the run then.
pub fn mser5(outputs: &[f64]) -> Option<usize> {
    let curve = curve(outputs);
    let best = curve.iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))?.0;
    let last = curve.len() - 1;
    (curve.len() > 5 && best < last).then_some(best * BATCH)
}

/// The statistic for each cut from none to half of the batches, in squared units of the output.
pub fn curve(outputs: &[f64]) -> Vec<f64> {
    let batches: Vec<f64> = outputs.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let k = batches.len();
    if k < 2 {
        return Vec::new();
    }
    // running mean and sum of squares from the end (Welford), so that each cut costs one step
    let mut statistic = vec![0.0; k];
    let (mut mean, mut squares) = (0.0, 0.0);
    for (n, j) in (0..k).rev().enumerate() {
        let count = (n + 1) as f64;
        let step = batches[j] - mean;
        mean += step / count;
        squares += step * (batches[j] - mean);
        statistic[j] = squares / (count * count);
    }
    statistic.truncate(k / 2 + 1);
    statistic
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    fn noise(n: usize) -> Vec<f64> {
        let mut stream = Streams::new(7, 0).stream("mser");
        (0..n).map(|_| stream.unit()).collect()
    }

    #[test]
    fn a_start_far_from_the_rest_is_dropped_whole() {
        let mut outputs = noise(1000);
        outputs[..100].iter_mut().for_each(|value| *value += 20.0);
        assert_eq!(mser5(&outputs), Some(100));
    }

    #[test]
    fn a_run_in_steady_state_loses_little() {
        assert!(mser5(&noise(1000)).unwrap() <= 250);
    }

    #[test]
    fn a_run_that_drifts_throughout_is_too_short() {
        let outputs: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(mser5(&outputs), None);
    }

    #[test]
    fn fewer_than_ten_batches_are_too_short() {
        assert_eq!(mser5(&noise(49)), None);
        assert_eq!(mser5(&[]), None);
    }

    #[test]
    fn the_statistic_is_its_definition() {
        let outputs = noise(60);
        let batches: Vec<f64> = outputs.chunks(5).map(|batch| batch.iter().sum::<f64>() / 5.0).collect();
        for (d, found) in curve(&outputs).iter().enumerate() {
            let rest = &batches[d..];
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            let wanted = rest.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (rest.len() as f64).powi(2);
            assert!((found - wanted).abs() < 1e-12);
        }
    }
}
