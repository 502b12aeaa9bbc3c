//! 95 % intervals from independent replications.

use std::sync::OnceLock;

use crate::student;

/// A confidence interval: lower and upper end.
pub type Interval = [f64; 2];

/// The confidence interval of a quantile: its lower end, and its upper end unless the samples do not bear one: then the
/// quantile is at least the lower end. In JSON `[low, high]` or `[low, null]`.
pub type QuantileInterval = (f64, Option<f64>);

/// Confidence level of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// The mean of one value per replication; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Student's interval of the mean of one value per replication; `None` below two values.
pub fn of_mean(values: &[f64]) -> Option<Interval> {
    let centre = mean(values)?;
    let half_width = half_width(values)?;
    Some([centre - half_width, centre + half_width])
}

/// The same at another confidence, above 0 and below 1.
pub fn of_mean_at(values: &[f64], confidence: f64) -> Option<Interval> {
    let centre = mean(values)?;
    let half_width = half_width_at(values, confidence)?;
    Some([centre - half_width, centre + half_width])
}

/// How many times as wide as its 95 % interval that of a mean is at another confidence, by this many replications; infinite
/// below two.
pub fn wider(replications: usize, confidence: f64) -> f64 {
    match replications.checked_sub(1) {
        None | Some(0) => f64::INFINITY,
        Some(degrees) => student::quantile(0.5 + 0.5 * confidence, degrees as u64) / student_quantile(degrees),
    }
}

/// Student's interval of a mean of values none of which can be negative: cut at 0.
pub fn of_positive_mean(values: &[f64]) -> Option<Interval> {
    of_mean(values).map(|[low, high]| [low.max(0.0), high])
}

/// A consecutive part of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Sum of its samples, or what came in its time.
    pub sum: f64,
    /// Number of its samples, or its time.
    pub size: f64,
}

/// Student's interval about the `mean` of one run, from consecutive parts of all of it that need not be alike in size; of a
/// mean that cannot be negative: cut at 0. `None` below two parts.
///
/// The error is that of a ratio of sum and size (W. G. Cochran, Sampling Techniques, 1977, 6.3), and the mean is not that of
/// the parts: it lies within its interval, however little its last part has.
pub fn of_parts(mean: f64, parts: &[Part]) -> Option<Interval> {
    let (sum, size) = parts.iter().fold((0.0, 0.0), |(sum, size), part| (sum + part.sum, size + part.size));
    let degrees = parts.len().checked_sub(1).filter(|degrees| *degrees > 0 && size > 0.0)?;
    let squares: f64 =
        parts.iter().map(|part| part.sum - part.size * sum / size).map(|residual| residual * residual).sum();
    let error = libm::sqrt(squares * parts.len() as f64 / degrees as f64) / size;
    let half_width = student_quantile(degrees) * error;
    Some([(mean - half_width).max(0.0), mean + half_width])
}

/// Student's interval of the total of one value per replication; `None` below two values.
pub fn of_total(values: &[f64]) -> Option<Interval> {
    let replications = values.len() as f64;
    of_mean(values).map(|[low, high]| [low * replications, high * replications])
}

/// The smallest interval that holds both.
pub fn hull(one: Interval, other: Option<Interval>) -> Interval {
    other.map_or(one, |other| [one[0].min(other[0]), one[1].max(other[1])])
}

/// Student's interval of a mean whose values may be skewed, as counts of rare events are (Willink, Communications in
/// Statistics - Theory and Methods 34, 2005): t is bent by the third moment of the values.
pub fn of_skewed_mean(values: &[f64]) -> Option<Interval> {
    skewed_mean_at(values, CONFIDENCE)
}

/// The same at another confidence, above 0 and below 1.
fn skewed_mean_at(values: &[f64], confidence: f64) -> Option<Interval> {
    let centre = mean(values)?;
    let count = values.len() as f64;
    let half_width = half_width_at(values, confidence)?;
    if values.len() < 3 || half_width == 0.0 {
        return Some([centre - half_width, centre + half_width]);
    }
    let error = standard_error(values);
    let cubes = values.iter().map(|value| (value - centre) * (value - centre) * (value - centre)).sum::<f64>();
    let third = cubes * count / ((count - 1.0) * (count - 2.0));
    // skewness over 6 sqrt(n)
    let bend = third / (error * error * error * count * libm::sqrt(count)) / (6.0 * libm::sqrt(count));
    let bent = |t: f64| match bend.abs() < 1e-6 {
        true => t,
        false => (libm::cbrt(1.0 + 6.0 * bend * (t - bend)) - 1.0) / (2.0 * bend),
    };
    let t = half_width / error;
    Some([centre - bent(t) * error, centre - bent(-t) * error])
}

/// A ratio of totals, one part and one whole of each replication, with its interval: the residuals of the parts against the
/// ratio are a skewed mean (W. G. Cochran, Sampling Techniques, 1977, 6.3). `None` below three replications or of nothing.
pub fn of_ratio(parts: &[f64], wholes: &[f64]) -> Option<(f64, Interval)> {
    ratio_at(parts, wholes, CONFIDENCE)
}

/// The same at another confidence, above 0 and below 1.
pub fn ratio_at(parts: &[f64], wholes: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    let whole = mean(wholes).filter(|whole| *whole > 0.0 && wholes.len() >= 3)?;
    let ratio = mean(parts)? / whole;
    let residuals: Vec<f64> = parts.iter().zip(wholes).map(|(part, of)| part - ratio * of).collect();
    let [low, high] = skewed_mean_at(&residuals, confidence)?;
    Some((ratio, [(ratio + low / whole).max(0.0), ratio + high / whole]))
}

/// t times the standard error of the mean; `None` below two values.
fn half_width(values: &[f64]) -> Option<f64> {
    half_width_at(values, CONFIDENCE)
}

fn half_width_at(values: &[f64], confidence: f64) -> Option<f64> {
    let degrees = values.len().checked_sub(1).filter(|&degrees| degrees > 0)?;
    let of_standard_errors = match confidence == CONFIDENCE {
        true => student_quantile(degrees),
        false => student::quantile(0.5 + 0.5 * confidence, degrees as u64),
    };
    Some(of_standard_errors * standard_error(values))
}

/// The quantile of Student's t for an interval. For few degrees of freedom it is computed once: the interval of one quantile
/// of samples asks for the same a hundred times.
fn student_quantile(degrees: usize) -> f64 {
    static KNOWN: [OnceLock<f64>; 64] = [const { OnceLock::new() }; 64];
    let quantile = || student::quantile(0.5 + 0.5 * CONFIDENCE, degrees as u64);
    KNOWN.get(degrees).map_or_else(quantile, |known| *known.get_or_init(quantile))
}

/// The standard error of the mean of two or more values.
pub fn standard_error(values: &[f64]) -> f64 {
    let (count, centre) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
    let squares = values.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>();
    libm::sqrt(squares / (count - 1.0) / count)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_interval_of_parts_of_one_size_is_that_of_their_means_and_of_any_size_it_holds_the_mean() {
        let values = [3.0, 4.0, 8.0, 5.0, 1.0];
        let parts = values.map(|value| Part { sum: 7.0 * value, size: 7.0 });
        let [[low, high], [wanted_low, wanted_high]] =
            [of_parts(4.2, &parts).unwrap(), of_positive_mean(&values).unwrap()];
        assert!((low - wanted_low).abs() < 1e-12 && (high - wanted_high).abs() < 1e-12);
        // nearly all comes in a short last part
        let parts = [(1.0, 10.0), (1.0, 10.0), (1.0, 10.0), (90.0, 0.5)].map(|(sum, size)| Part { sum, size });
        let mean = 93.0 / 30.5;
        let [low, high] = of_parts(mean, &parts).unwrap();
        assert!(low <= mean && mean <= high && high > 10.0, "{low} to {high}");
        assert_eq!(of_parts(1.0, &parts[..1]), None);
    }

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
    fn a_ratio_of_equal_wholes_has_the_interval_of_its_parts() {
        let parts = [1.0, 0.0, 2.0, 1.0, 3.0, 0.0];
        let (ratio, [low, high]) = of_ratio(&parts, &[10.0; 6]).unwrap();
        let [low_of_mean, high_of_mean] = of_skewed_mean(&parts).unwrap();
        assert!((ratio - 0.7 / 6.0).abs() < 1e-12, "{ratio}");
        assert!((low - 0.1 * low_of_mean).abs() < 1e-12 && (high - 0.1 * high_of_mean).abs() < 1e-12, "{low} {high}");
        // parts that follow their wholes leave no doubt of the ratio
        assert_eq!(of_ratio(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), Some((0.1, [0.1, 0.1])));
        assert_eq!(of_ratio(&[1.0, 2.0, 3.0], &[0.0; 3]), None);
    }

    #[test]
    fn more_confidence_takes_a_wider_interval() {
        let (parts, wholes) = ([1.0, 0.0, 2.0, 1.0, 3.0, 0.0], [10.0; 6]);
        let at = |confidence| ratio_at(&parts, &wholes, confidence).unwrap().1;
        assert_eq!(at(CONFIDENCE), of_ratio(&parts, &wholes).unwrap().1);
        let ([low, high], [lower, higher]) = (at(CONFIDENCE), at(0.99));
        assert!(lower < low && high < higher, "{lower} {low} {high} {higher}");
        // of equally spaced parts without skew: t(5) is 4.032 at 99 % and 2.571 at 95 %
        let even: Vec<f64> = (0..6).map(|part| 100.0 + f64::from(part)).collect();
        let width = |confidence| ratio_at(&even, &wholes, confidence).map(|(_, [low, high])| high - low).unwrap();
        assert!((width(0.99) / width(CONFIDENCE) - 4.032 / 2.571).abs() < 1e-3);
    }

    #[test]
    fn one_replication_has_no_interval() {
        assert_eq!(of_mean(&[3.0]), None);
        assert_eq!(of_skewed_mean(&[3.0]), None);
    }

    #[test]
    fn equal_replications_have_an_interval_of_zero_width() {
        assert_eq!(of_mean(&[3.0, 3.0, 3.0]), Some([3.0, 3.0]));
        assert_eq!(of_skewed_mean(&[3.0, 3.0, 3.0]), Some([3.0, 3.0]));
    }

    #[test]
    fn the_interval_of_a_total_is_that_of_the_mean_times_the_replications() {
        let values = [4.0, 6.0, 8.0];
        let ([a, b], [c, d]) = (of_mean(&values).unwrap(), of_total(&values).unwrap());
        assert_eq!((c, d), (3.0 * a, 3.0 * b));
    }

    #[test]
    fn an_interval_of_what_cannot_be_negative_begins_at_0() {
        assert_eq!(of_positive_mean(&[0.1, 0.5]).unwrap()[0], 0.0);
        assert!(of_mean(&[0.1, 0.5]).unwrap()[0] < 0.0);
    }

    #[test]
    fn values_with_a_long_upper_tail_have_more_room_above_than_below() {
        let [low, high] = of_skewed_mean(&[0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 9.0]).unwrap();
        assert!(high - 1.5 > 2.0 * (1.5 - low), "{low} {high}");
        let [low, high] = of_skewed_mean(&[-1.0, 0.0, 1.0]).unwrap();
        assert!((low + high).abs() < 1e-12, "{low} {high}");
    }
}
