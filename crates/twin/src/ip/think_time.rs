//! Infers client think time, between an answer and the next request.
//!
//! A queue before the capture point delays a request and hides its client's think time. Where data of transfers wait
//! in the same queue, the acknowledgements that triggered them reveal when: what left the queue between two data
//! packets entered it between them.

use super::bottleneck::deviation;
use super::conversation::Thinks;
use super::flows::Echo;
use super::following::Think;
use super::trips::{at, sorted};

/// Requests that follow an answer, from which the client is taken for a closed loop.
const FEWEST_THINKS: u64 = 3;
/// Requests between data of transfers that show think times.
const ENOUGH_BETWEEN: usize = 5;
/// Times between data that count, as multiples of the median.
const NARROW: f64 = 1.5;

/// A uniform distribution, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ThinkTime {
    pub least: f64,
    pub spread: f64,
    /// Whether requests follow answers.
    pub is_closed: bool,
}

impl ThinkTime {
    /// From the gaps between answers and requests, of which at least `beyond` seconds are on the path, and `waiting` seconds more on
    /// average, with that standard deviation, in a queue.
    pub fn new(echo: &Echo<'_>, beyond: f64, waiting: [f64; 2]) -> ThinkTime {
        let times = &echo.exchanges.times;
        // a client whose answers come too late shows its think time before the queue is that long
        let is_closed = times.thinks().seen() >= FEWEST_THINKS;
        let less = if is_closed { beyond } else { at(&sorted(&echo.exchanges.responses.times), 0.5) };
        let Thinks { usual: thinks, .. } = Thinks::new(echo.exchanges);
        let gaps = if is_closed { thinks } else { sorted(times.gaps()) };
        if is_closed && waiting[0] > 0.0 {
            // a queue that is always long makes even the shortest gap longer: of its share in them mean and variance are known
            return ThinkTime::of(mean(&gaps) - less - waiting[0], &gaps, waiting[1] * waiting[1]);
        }
        let (low, high) = (at(&gaps, 0.05), at(&gaps, 0.95));
        // the ends of a uniform distribution with these percentiles
        let least = (low - (high - low) / 18.0).max(0.0);
        let spread = 2.0 * (mean(&gaps) - least.max(less)).max(0.0);
        ThinkTime { least: (least - less).max(0.0), spread, is_closed }
    }

    /// From requests that went in one queue with data: each was sent between the data before and those behind it. `None` of few, and
    /// where they are known less well than by the gaps, which have the standard deviation `deviating`, s.
    pub fn between_data(thinks: &[Think], deviating: f64) -> Option<ThinkTime> {
        let mut widths: Vec<f64> = thinks.iter().map(Think::width).collect();
        widths.sort_by(f64::total_cmp);
        // where data went more seldom than usual, less is known
        let widest = NARROW * at(&widths, 0.5);
        let narrow = thinks.iter().filter(|think| think.width() <= widest);
        let mut middles: Vec<f64> = narrow.map(|think| f64::midpoint(think.least, think.most)).collect();
        middles.sort_by(f64::total_cmp);
        widths.truncate(middles.len());
        let usual = Thinks::of(middles).usual;
        // values are rounded to the middle between two others (Sheppard's correction)
        let squares: Vec<f64> = widths.iter().map(|width| width * width).collect();
        let rounding = mean(&squares) / 12.0;
        let is_known = usual.len() >= ENOUGH_BETWEEN && rounding <= deviating * deviating;
        is_known.then(|| ThinkTime::of(mean(&usual), &usual, rounding))
    }

    /// With this mean, and the variance of `values` less the variance of the other components.
    fn of(mean: f64, values: &[f64], less: f64) -> ThinkTime {
        let (mean, variance) = (mean.max(0.0), libm::pow(deviation(values), 2.0) - less);
        let spread = libm::sqrt(12.0 * variance.max(0.0)).min(2.0 * mean);
        ThinkTime { least: mean - 0.5 * spread, spread, is_closed: true }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Think times of 10 to 30 ms, each seen as between two of data that come every `every` seconds.
    fn between(every: f64) -> Vec<Think> {
        let think = |number: u32| {
            // the data come at any time of the think time
            let (think, phase) = (0.01 + 0.02 * f64::from(number) / 199.0, f64::from(37 * number % 200) / 200.0);
            let least = think - every * phase;
            Think { least, most: least + every }
        };
        (0..200).map(think).collect()
    }

    #[test]
    fn think_times_show_between_the_data_that_requests_waited_with() {
        for every in [0.001, 0.01] {
            let found = ThinkTime::between_data(&between(every), 0.1).unwrap();
            assert!((found.least - 0.01).abs() < 1e-3 && (found.spread - 0.02).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn data_that_come_too_seldom_show_no_think_times() {
        assert_eq!(ThinkTime::between_data(&between(0.5), 0.1), None);
        assert_eq!(ThinkTime::between_data(&between(0.001)[..4], 0.1), None);
    }

    #[test]
    fn requests_behind_pauses_of_the_data_do_not_count() {
        let mut thinks = between(0.001);
        thinks.extend([Think { least: -0.5, most: 0.9 }; 20]);
        let found = ThinkTime::between_data(&thinks, 0.1).unwrap();
        assert!((found.least - 0.01).abs() < 1e-3 && (found.spread - 0.02).abs() < 1e-3, "{found:?}");
    }
}
