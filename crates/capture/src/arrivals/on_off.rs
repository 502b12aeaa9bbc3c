//! On-off sources: a constant gap within an on period, and a longer gap between two on periods.

use super::distance::{distance, quantile};
use super::{Fit, Law, SendTimes};

/// A gap longer than this multiple of the gap within on periods separates two on periods.
const LONGER: f64 = 1.5;

/// The gaps of both states, and the messages of each complete on period.
struct Periods {
    /// Gap while on, s.
    gap: f64,
    /// Gaps between on periods, ascending, s.
    silences: Vec<f64>,
    /// Share of all gaps that lie between on periods.
    silent_share: f64,
    /// Messages of each on period, the first and the last left out, which the capture cuts.
    runs: Vec<u32>,
}

impl Periods {
    /// Splits the gaps at a multiple of the gap while on; `None` unless that gap is constant within `smear`.
    fn find(times: &SendTimes, gaps: &[f64], smear: f64) -> Option<Periods> {
        let typical = quantile(gaps, 0.25);
        let limit = (LONGER * typical).max(typical + 4.0 * smear);
        let on = gaps.partition_point(|&gap| gap <= limit);
        let gap = quantile(&gaps[..on], 0.5);
        let silences = gaps[on..].to_vec();
        let steady = gaps[..on].iter().filter(|&&each| (each - gap).abs() <= 2.0 * smear + 0.05 * gap).count();
        if silences.len() < 3 || (steady as f64) < 0.9 * on as f64 {
            return None;
        }
        let mut runs = Vec::new();
        let mut run = 1;
        for pair in times.in_order().windows(2) {
            if pair[1].since(pair[0]).seconds() <= limit {
                run += 1;
            } else {
                runs.push(run);
                run = 1;
            }
        }
        if !runs.is_empty() {
            runs.remove(0);
        }
        let silent_share = silences.len() as f64 / gaps.len() as f64;
        Some(Periods { gap, silences, silent_share, runs })
    }

    fn mean_silence(&self) -> f64 {
        self.silences.iter().sum::<f64>() / self.silences.len() as f64
    }
}

/// The number of messages of an on period is geometric: one for each gap that its exponential length holds, and the
/// first. What is left of the length after its last message belongs to the silence.
pub(super) fn fit(times: &SendTimes, gaps: &[f64], smear: f64) -> Option<Fit> {
    let periods = Periods::find(times, gaps, smear)?;
    let goes_on = 1.0 - periods.silent_share;
    if goes_on <= 0.0 || periods.gap <= 0.0 {
        return None;
    }
    let on = -periods.gap / libm::log(goes_on);
    let left = on - periods.gap / libm::expm1(periods.gap / on);
    let off = periods.mean_silence() - left;
    if off <= 0.0 {
        return None;
    }
    // on periods: the geometric law of their messages; silences: exponential beyond the gap
    let of_runs = geometric_distance(&periods.runs, goes_on);
    let cdf = |silence: f64| if silence <= left { 0.0 } else { -libm::expm1(-(silence - left) / off) };
    let of_silences = distance(&periods.silences, smear.max(periods.gap), cdf, cdf);
    let law = Law::OnOff { interval: periods.gap, on, off };
    Some(Fit { law, distance: of_runs.max(of_silences), gaps: periods.silences.len() })
}

/// Groups of one size: the starts of groups are a Poisson process.
pub(super) fn fit_burst(times: &SendTimes, gaps: &[f64], smear: f64) -> Option<Fit> {
    let periods = Periods::find(times, gaps, smear)?;
    let mut runs = periods.runs.clone();
    runs.sort_unstable();
    let size = *runs.get(runs.len() / 2)?;
    let other = runs.iter().filter(|&&run| run != size).count() as f64 / runs.len() as f64;
    if size < 2 {
        return None;
    }
    let length = f64::from(size - 1) * periods.gap;
    let interval = periods.mean_silence() + length;
    let cdf = |silence: f64| -libm::expm1(-(silence + length) / interval);
    let of_silences = distance(&periods.silences, (smear + length).min(0.2 * interval), cdf, cdf);
    let law = Law::Burst { size, gap: if periods.gap <= 2.0 * smear { 0.0 } else { periods.gap }, interval };
    Some(Fit { law, distance: other.max(of_silences), gaps: periods.silences.len() })
}

/// Distance of run lengths from the geometric law that goes on with this probability.
fn geometric_distance(runs: &[u32], goes_on: f64) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_unstable();
    let n = sorted.len() as f64;
    let mut largest: f64 = 0.0;
    for (index, &run) in sorted.iter().enumerate() {
        if sorted.get(index + 1) != Some(&run) {
            let law = 1.0 - libm::pow(goes_on, f64::from(run));
            largest = largest.max((law - (index + 1) as f64 / n).abs());
        }
    }
    largest
}
