//! 95 % intervals from independent replications.

use crate::student;

/// A confidence interval: lower and upper end.
pub type Interval = [f64; 2];

/// Confidence level of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// The mean of one value per replication; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Student's interval of the mean of one value per replication; `None` below two values.
pub fn of_mean(values: &[f64]) -> Option<Interval> {
    around(values, mean(values)?)
}

/// Student's interval of the total of one value per replication; `None` below two values.
pub fn of_total(values: &[f64]) -> Option<Interval> {
    let replications = values.len() as f64;
    of_mean(values).map(|[low, high]| [low * replications, high * replications])
}

/// The interval of a quantile by sectioning: each replication is a section, and the sections' quantiles are
/// compared with the `pooled` quantile of all samples (Asmussen and Glynn, Stochastic Simulation, III.5).
pub fn of_quantile(sections: &[f64], pooled: f64) -> Option<Interval> {
    around(sections, pooled)
}

/// `centre` plus and minus t times the standard error of `values` about it.
fn around(values: &[f64], centre: f64) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let degrees = values.len() - 1;
    let variance = values.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>() / degrees as f64;
    let t = student::quantile(0.5 + 0.5 * CONFIDENCE, degrees as u64);
    let half_width = t * libm::sqrt(variance / values.len() as f64);
    Some([centre - half_width, centre + half_width])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example_has_its_textbook_interval() {
        // mean 20, s = 2, n = 4: 20 ± 3.182 · 2 / 2
        let values = [18.267_949_192, 20.0, 21.732_050_808, 20.0];
        let scaled: Vec<f64> = values.iter().map(|v| 20.0 + (v - 20.0) * libm::sqrt(2.0)).collect();
        let [low, high] = of_mean(&scaled).unwrap();
        assert!((low - (20.0 - 3.182)).abs() < 1e-3 && (high - (20.0 + 3.182)).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_replication_has_no_interval() {
        assert_eq!(of_mean(&[3.0]), None);
        assert_eq!(of_quantile(&[3.0], 3.0), None);
    }

    #[test]
    fn equal_replications_have_an_interval_of_zero_width() {
        assert_eq!(of_mean(&[3.0, 3.0, 3.0]), Some([3.0, 3.0]));
    }

    #[test]
    fn the_interval_of_a_total_is_that_of_the_mean_times_the_replications() {
        let values = [4.0, 6.0, 8.0];
        let ([a, b], [c, d]) = (of_mean(&values).unwrap(), of_total(&values).unwrap());
        assert_eq!((c, d), (3.0 * a, 3.0 * b));
    }
}
