//! Whether a law has the mean and the deviation of the gaps that it was fitted to: a fit by their distribution has them nearly.

use sojourn_capture::arrivals::{Law, SendTimes, fit};

/// Fewest gaps, of bursts those between them, of a law that stands for messages which are all kept.
const FEWEST: usize = 100;
/// Largest differences of the mean and of the deviation, as a share, and of the deviation in s.
const MEAN: f64 = 0.03;
const DEVIATION: f64 = 0.1;
const LEAST: f64 = 1e-4;

/// Whether the law that fits send times best has their mean and deviation, from enough of them.
pub(super) fn is_alike(times: &SendTimes, smear: f64) -> bool {
    let Some(fit) = fit(times, smear) else { return false };
    if fit.gaps < FEWEST {
        return false;
    }
    let Some((mean, square)) = moments(&fit.law) else { return true };
    let gaps = times.gaps().values();
    let captured = gaps.iter().map(|gap| gap * gap).sum::<f64>() / gaps.len() as f64;
    let deviation = |mean: f64, square: f64| libm::sqrt((square - mean * mean).max(0.0));
    let (own, other) = (deviation(times.mean_gap(), captured), deviation(mean, square));
    let near = |one: f64, other: f64, within: f64| libm::fabs(one - other) <= within;
    near(mean, times.mean_gap(), MEAN * times.mean_gap()) && near(other, own, LEAST.max(DEVIATION * own))
}

/// The mean of the gaps of a law and of their squares; `None` where answers decide.
fn moments(law: &Law) -> Option<(f64, f64)> {
    let plain = |mean: f64, deviation: f64| Some((mean, mean * mean + deviation * deviation));
    match *law {
        Law::Poisson { interval } => plain(interval, interval),
        // the difference of two uniform values
        Law::Periodic { interval, jitter } => plain(interval, jitter / libm::sqrt(6.0)),
        Law::Normal { interval, deviation } => plain(interval, deviation),
        Law::Saturating { .. } => None,
        Law::Burst { size, gap, interval } => {
            let (size, within) = (f64::from(size), f64::from(size - 1));
            // a burst that comes early waits for the end of the one before
            let apart = libm::exp(-within * gap / interval);
            let mean = (within * gap + apart * interval) / size;
            Some((mean, (within * gap * gap + 2.0 * apart * interval * interval) / size))
        }
        Law::OnOff { interval, on, off } => {
            let goes_on = libm::exp(-interval / on);
            let left = on - interval / libm::expm1(interval / on);
            let (silence, square) = (left + off, left * left + 2.0 * left * off + 2.0 * off * off);
            let of = |gap: f64, silence: f64| goes_on * gap + (1.0 - goes_on) * silence;
            Some((of(interval, silence), of(interval * interval, square)))
        }
        Law::Heartbeat { max_interval: max, min_interval: min, change_interval: change, .. } => {
            let [early, late] = [min, max].map(|gap| libm::exp(-gap / change));
            let mean = min + change * (early - late);
            let square = min * min + 2.0 * change * ((min + change) * early - (max + change) * late);
            Some((mean, square))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_of_laws_are_those_of_their_gaps() {
        let near = |law: Law, mean: f64, square: f64| {
            let found = moments(&law).unwrap();
            assert!((found.0 - mean).abs() < 1e-9 && (found.1 - square).abs() < 1e-9, "{law:?}: {found:?}");
        };
        near(Law::Poisson { interval: 2.0 }, 2.0, 8.0);
        // (1 - exp(-1)) of the gaps are below the longest of 1, whose mean change is 1
        let max = 1.0 - libm::exp(-1.0);
        let heartbeat = Law::Heartbeat { max_interval: 1.0, max_seen: true, min_interval: 0.0, change_interval: 1.0 };
        near(heartbeat, max, 2.0 * (1.0 - 2.0 * libm::exp(-1.0)));
        // pairs at once: half of the gaps are 0, the others exponential
        near(Law::Burst { size: 2, gap: 0.0, interval: 3.0 }, 1.5, 9.0);
    }
}
