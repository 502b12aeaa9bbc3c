//! Estimates a rate from the tallies of independent replications.

use sojourn_engine::splitting::{Level, Tally};
use sojourn_metrics::exact::NONE_SEEN;
use sojourn_metrics::interval::{self, Interval};
use sojourn_metrics::results::{RiskLevel, RiskSummary};

use super::question::Question;

/// The half-width of a 95 % interval in standard errors.
const STANDARD_ERRORS: f64 = 1.96;

/// What replications with these levels give.
pub struct Estimate<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// The levels that paths were split at; none of crude runs.
    pub levels: &'a [Level],
    /// The tallies, in the order of replications.
    pub tallies: &'a [Tally],
    /// Observed seconds of a replication without splitting.
    pub duration: f64,
    /// The time asked about, in seconds, and whether a replication has just that length.
    pub within: Option<(f64, bool)>,
    /// Seconds that pilots simulated.
    pub pilot_time: f64,
}

impl Estimate<'_> {
    /// The summary of results.
    pub fn summary(&self) -> RiskSummary {
        let rate = self.rate();
        let occurred = self.tallies.iter().filter(|tally| tally.occurrences > 0.0).count() as u32;
        let (value, ci95) = match rate {
            Some((rate, interval)) if occurred > 0 => (Some(rate), interval),
            _ => (None, [0.0, self.bound()]),
        };
        let [probability, low, high] = self.probability(value, ci95);
        let share = self.share().filter(|_| !self.question.gauge.lasts);
        RiskSummary {
            condition: self.question.text.clone(),
            rate: value,
            unit: "1/s".to_owned(),
            ci95,
            probability,
            probability_ci95: low.zip(high).map(|(low, high)| [low, high]),
            within: self.within.map(|(within, _)| within),
            mean_time: value.map(|rate| 1.0 / rate),
            share_of_time: share.map(|(share, _)| share),
            share_ci95: share.map(|(_, interval)| interval),
            method: if self.levels.is_empty() { "crude" } else { "splitting" }.to_owned(),
            importance: self.question.approach.name.to_owned(),
            levels: self.levels(),
            replications: self.tallies.len() as u32,
            replications_with_occurrence: occurred,
            simulated_time: self.simulated(),
            pilot_time: self.pilot_time,
            equivalent_time: value.map(|rate| equivalent(rate, ci95)),
        }
    }

    /// First occurrences per second, with the interval.
    fn rate(&self) -> Option<(f64, Interval)> {
        let occurrences: Vec<f64> = self.tallies.iter().map(|tally| tally.occurrences).collect();
        let exposures: Vec<f64> = self.tallies.iter().map(|tally| tally.exposure).collect();
        interval::of_ratio(&occurrences, &exposures)
    }

    /// Upper 95 % limit of the rate of an event that was not seen: by the original paths alone, as copies of one
    /// path are not independent.
    fn bound(&self) -> f64 {
        NONE_SEEN / (self.duration * self.tallies.len() as f64)
    }

    /// The probability within the time asked, and its interval: of replications of that length the share in which it
    /// occurred, else that of a constant rate.
    fn probability(&self, rate: Option<f64>, [low, high]: Interval) -> [Option<f64>; 3] {
        let Some((within, is_simulated)) = self.within else { return [None; 3] };
        if is_simulated && rate.is_some() {
            let occurrences: Vec<f64> = self.tallies.iter().map(|tally| tally.occurrences).collect();
            // of those that it had not begun in
            let without: Vec<f64> = self.tallies.iter().map(|tally| 1.0 - tally.begun_in).collect();
            let share = interval::of_ratio(&occurrences, &without);
            let cut = |end: f64| Some(end.clamp(0.0, 1.0));
            return share.map_or([None; 3], |(share, [low, high])| [Some(share), cut(low), cut(high)]);
        }
        let of = |rate: f64| -libm::expm1(-rate * within);
        [rate.map(of), Some(of(low)), Some(of(high))]
    }

    /// The share of time that the event lasts.
    fn share(&self) -> Option<(f64, Interval)> {
        let shares: Vec<f64> = self.tallies.iter().map(|tally| tally.lasting / self.duration).collect();
        let [low, high] = interval::of_skewed_mean(&shares)?;
        Some((interval::mean(&shares)?, [low.max(0.0), high]))
    }

    fn levels(&self) -> Vec<RiskLevel> {
        let sum = |part: &dyn Fn(&Tally) -> f64| self.tallies.iter().map(part).sum::<f64>();
        let time = sum(&|tally| tally.levels.iter().map(|level| level.time).sum());
        let events = sum(&|tally| tally.events as f64);
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let first = Level::new(0, 1);
        let levels = std::iter::once(&first).chain(self.levels).enumerate();
        let level = |(number, level): (usize, &Level)| {
            let of = |part: fn(&sojourn_engine::splitting::LevelTally) -> f64| {
                sum(&|tally| tally.levels.get(number).map_or(0.0, part))
            };
            RiskLevel {
                from: level.from,
                copies: level.copies,
                entered: of(|level| level.entered as f64) as u64,
                share: share(of(|level| level.time), time),
                effort: share(of(|level| level.events as f64), events),
                occurrences: of(|level| level.occurrences as f64) as u64,
            }
        };
        levels.map(level).collect()
    }

    fn simulated(&self) -> f64 {
        self.tallies.iter().map(|tally| tally.simulated).sum()
    }
}

/// Seconds that crude runs would have to simulate for this interval of a rate: occurrences of a Poisson process.
fn equivalent(rate: f64, [low, high]: Interval) -> f64 {
    let relative = 0.5 * (high - low) / rate;
    if relative > 0.0 { (STANDARD_ERRORS / relative) * (STANDARD_ERRORS / relative) / rate } else { f64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crude_runs_need_as_many_occurrences_as_the_interval_is_narrow() {
        // 30 % of half-width: 42.7 occurrences, one in 1000 s
        let seconds = equivalent(1e-3, [0.7e-3, 1.3e-3]);
        assert!((seconds / 42_684.0 - 1.0).abs() < 1e-3, "{seconds}");
    }
}
