//! Skew of the peer's clock: the median slope between windows, with its interval (Theil and Sen).
//!
//! A skew shifts the forward and the return differences alike; a change of the path shifts one of them, or both
//! apart. Slopes are therefore taken between steps of the clock and of that direction's path. Where the directions
//! still disagree, the smaller slope is attributed to the clock and the rest to the path.

use super::windows::{Series, Window, median};

/// Windows between those whose slopes show the skew before steps are known.
const NEAR: usize = 3;
/// Windows of a stretch for a slope, at least.
const LEAST: usize = 4;
/// The largest autocorrelation of windows: beyond it nothing is known of a trend.
const MOST_ALIKE: f64 = 0.95;
/// Quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.96;

/// Skew with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// Seconds that the peer's clock gains per second.
    pub value: f64,
    /// Interval of the value.
    pub interval: [f64; 2],
}

/// The skew by near windows only, which few steps separate.
pub fn rough(windows: &[Window]) -> f64 {
    let slopes = [Series::Forward, Series::Return].into_iter().flat_map(|series| {
        (1..=NEAR).flat_map(move |lag| {
            windows.iter().zip(windows.iter().skip(lag)).map(move |(one, next)| slope(*one, *next, series))
        })
    });
    median(slopes.filter(|slope| slope.is_finite()).collect())
}

/// The skew from stretches of windows without a step, by series; `None` without a stretch of a few windows.
pub fn of_stretches(forward: &[&[Window]], reverse: &[&[Window]]) -> Option<Skew> {
    let [forward, reverse] = [(forward, Series::Forward), (reverse, Series::Return)].map(|(stretches, series)| {
        let slopes: Vec<f64> = stretches.iter().flat_map(|stretch| slopes(stretch, series)).collect();
        let usual = median(slopes.clone());
        (slopes, stretches.iter().map(|stretch| variance(stretch, series, usual)).sum::<f64>())
    });
    let of = |(slopes, variance): &(Vec<f64>, f64)| theil_sen(slopes.clone(), *variance);
    match (of(&forward), of(&reverse)) {
        (Some(one), Some(other)) if are_apart(one, other) => {
            let value = if one.value.abs() < other.value.abs() { one.value } else { other.value };
            let low = one.interval[0].min(other.interval[0]);
            Some(Skew { value, interval: [low, one.interval[1].max(other.interval[1])] })
        }
        (Some(_), Some(_)) => theil_sen([forward.0, reverse.0].concat(), forward.1 + reverse.1),
        (one, other) => one.or(other),
    }
}

fn are_apart(one: Skew, other: Skew) -> bool {
    one.interval[1] < other.interval[0] || other.interval[1] < one.interval[0]
}

fn slope(one: Window, other: Window, series: Series) -> f64 {
    (other.of(series) - one.of(series)) / (other.at - one.at)
}

/// The slopes between any two windows of a stretch.
fn slopes(stretch: &[Window], series: Series) -> Vec<f64> {
    if stretch.len() < LEAST {
        return Vec::new();
    }
    let pairs =
        stretch.iter().enumerate().flat_map(|(index, one)| stretch[index + 1..].iter().map(move |next| (one, next)));
    pairs.map(|(one, next)| slope(*one, *next, series)).filter(|slope| slope.is_finite()).collect()
}

/// Variance of Kendall's statistic of a stretch, on which the interval of the median slope rests (Sen 1968), larger where
/// neighbouring windows resemble each other (Hamed and Rao 1998, by the first autocorrelation).
fn variance(stretch: &[Window], series: Series, slope: f64) -> f64 {
    if stretch.len() < LEAST {
        return 0.0;
    }
    let n = stretch.len() as f64;
    let alike =
        autocorrelation(&stretch.iter().map(|window| window.of(series) - slope * window.at).collect::<Vec<_>>());
    n * (n - 1.0) * (2.0 * n + 5.0) / 18.0 * (1.0 + alike) / (1.0 - alike)
}

/// The first autocorrelation, from 0 to [`MOST_ALIKE`].
fn autocorrelation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let of_pairs: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let of_all: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if of_all > 0.0 { (of_pairs / of_all).clamp(0.0, MOST_ALIKE) } else { 0.0 }
}

fn theil_sen(mut slopes: Vec<f64>, variance: f64) -> Option<Skew> {
    if slopes.is_empty() {
        return None;
    }
    slopes.sort_by(f64::total_cmp);
    let (count, half) = (slopes.len() as f64, Z * variance.sqrt() / 2.0);
    let at = |rank: f64| slopes[(rank.max(0.0) as usize).min(slopes.len() - 1)];
    Some(Skew { value: at(count / 2.0), interval: [at(count / 2.0 - half), at((count / 2.0 + half).ceil())] })
}
