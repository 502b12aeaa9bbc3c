//! Warm-up detection: MSER-5 on the average of several pilot runs without warm-up.

use sojourn_core::Duration;
use sojourn_metrics::dependence::{self, Dependence};
use sojourn_metrics::mser::mser5;
use sojourn_metrics::record::Record;
use sojourn_model::Model;
use sojourn_scenario::{Problem, Scenario, WarmUp};

/// How often pilots that are too short for MSER-5 are doubled before the point fails.
pub const DOUBLINGS: u32 = 3;

/// After three relaxation times a twentieth of the transient is left.
const RELAXATIONS: f64 = 3.0;

/// Pilots of a point: as many as replications in its first round, within this range.
pub const PILOTS: std::ops::RangeInclusive<u32> = 2..=5;

/// The warm-up that the samples of `metric` in the pilots' traces call for, rounded up to two digits; `None` when the
/// pilots are too short.
///
/// The first samples of all pilots are averaged, the second ones, and so on (Welch, 1983), so that what is common to them,
/// the transient, stands out against the noise of each; MSER-5 cuts that average. Pilots of `length` that are short against
/// the time the system remembers hide their transient in that noise: then the warm-up is some relaxation times at least.
pub fn from_pilots(pilots: &[Record], metric: &str, length: Duration) -> Option<Duration> {
    let traces: Vec<&Vec<(u64, f64)>> = pilots.iter().map(|pilot| pilot.traces.get(metric)).collect::<Option<_>>()?;
    let shortest = traces.iter().map(|trace| trace.len()).min()?;
    let mean = |index: usize| traces.iter().map(|trace| trace[index].1).sum::<f64>() / traces.len() as f64;
    let outputs: Vec<f64> = (0..shortest).map(mean).collect();
    let dropped = mser5(&outputs)?;
    // by when the slowest pilot has come this far
    let first_kept = traces.iter().filter_map(|trace| Some(trace.get(dropped)?.0)).max()?;
    let cut = if dropped == 0 { Duration::ZERO } else { Duration::from_picoseconds(first_kept) };
    let warm_up = cut.max(forgotten(pilots, metric, length));
    Some(if warm_up == Duration::ZERO { warm_up } else { rounded_up(warm_up) })
}

/// The metric whose samples show when a model has reached steady state. That nothing samples one is a mistake where the warm-up is to be
/// found by it.
pub fn probe(scenario: &Scenario, model: &dyn Model) -> Result<&'static str, Problem> {
    match model.sampled() {
        Some(metric) => Ok(metric),
        None if matches!(scenario.run().warm_up, WarmUp::Fixed(_)) => Ok("response_time"),
        None => {
            let message = "nothing is sampled by which the length of the warm-up could be found";
            let probe = scenario.missing_probe().map(|help| format!(", or {help}")).unwrap_or_default();
            Err(Problem::plain(message).help(format!("give run.warm_up, as \"10 s\"{probe}")))
        }
    }
}

/// By when a system whose pilots are short has forgotten how it began; 0 where they are long enough.
fn forgotten(pilots: &[Record], metric: &str, length: Duration) -> Duration {
    let found = dependence::of(&dependence::distributions(pilots, metric)).filter(Dependence::is_short);
    found.map_or(Duration::ZERO, |found| {
        let relaxation = found.relaxation() * length.picoseconds() as f64;
        Duration::from_picoseconds((RELAXATIONS * relaxation).min(length.picoseconds() as f64) as u64)
    })
}

/// `span` rounded up to two significant digits of its picoseconds: what is reported reads well and loses little.
fn rounded_up(span: Duration) -> Duration {
    let mut unit = 1u64;
    while span.picoseconds() / unit >= 100 {
        unit *= 10;
    }
    Duration::from_picoseconds(span.picoseconds().div_ceil(unit).saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;
    use sojourn_metrics::Distribution;
    use sojourn_metrics::record::Observation;

    use super::*;

    const LENGTH: Duration = Duration::from_secs(1);

    fn pilot(values: impl Iterator<Item = f64>) -> Record {
        let mut record = Record::default();
        let trace = values.enumerate().map(|(index, value)| (index as u64 * 1_234_567, value)).collect();
        record.traces.insert("response_time".into(), trace);
        record
    }

    /// 400 outputs that fall for the first 60 and then alternate about 1.
    fn settling() -> impl Iterator<Item = f64> {
        (0..400).map(|index| 1.0 + 0.01 * f64::from(index % 2) + f64::from((60 - index).max(0)))
    }

    #[test]
    fn a_run_that_settles_drops_its_beginning_rounded_up_to_two_digits() {
        let warm_up = from_pilots(&[pilot(settling())], "response_time", LENGTH).unwrap();
        assert_eq!(warm_up, Duration::from_picoseconds(75_000_000), "from output 60, at 74.07 µs");
    }

    #[test]
    fn a_transient_that_noise_hides_in_each_pilot_shows_in_their_average() {
        // a fall of 1 over 100 outputs, in noise of ± 4 that remembers its last value
        let noisy = |index| {
            let mut stream = Streams::new(3, index).stream("pilot");
            let mut noise = 0.0;
            pilot((0..400).map(move |output| {
                noise = 0.9 * noise + stream.unit() - 0.5;
                3.0 + noise - 2.0 * (f64::from((100 - output).max(0)) / 100.0)
            }))
        };
        let many: Vec<Record> = (0..50).map(noisy).collect();
        let cut =
            |pilots: &[Record]| from_pilots(pilots, "response_time", LENGTH).unwrap_or(Duration::ZERO).picoseconds();
        let alone = (0..50).filter(|&index| cut(&many[index..=index]) < 40 * 1_234_567).count();
        assert!(alone > 5, "{alone} of 50 pilots alone miss most of it");
        assert!(cut(&many) >= 60 * 1_234_567, "{}", cut(&many));
    }

    #[test]
    fn a_run_that_never_settles_or_has_no_samples_is_refused() {
        assert_eq!(from_pilots(&[pilot((0..400).map(f64::from))], "response_time", LENGTH), None);
        assert_eq!(from_pilots(&[Record::default()], "response_time", LENGTH), None);
        assert_eq!(from_pilots(&[], "response_time", LENGTH), None);
    }

    #[test]
    fn pilots_of_a_few_relaxation_times_are_given_some_of_them_as_warm_up() {
        // correlation e^-1 after 100 of 400 outputs: 0.25 s of 1 s
        let remembering = |index| {
            let mut stream = Streams::new(4, index).stream("pilot");
            let (mut state, mut values, mut distribution) = (0.0, Vec::new(), Distribution::new());
            for _ in 0..400 {
                state = 0.99 * state + stream.unit() - 0.5;
                values.push(100.0 + state);
                distribution.record(Duration::from_picoseconds((1e6 * (100.0 + state)) as u64));
            }
            let mut record = pilot(values.into_iter());
            record.observe("response_time", Observation::Distribution(distribution));
            record
        };
        let pilots: Vec<Record> = (0..5).map(remembering).collect();
        assert!(forgotten(&pilots, "response_time", LENGTH) > Duration::from_millis(250));
        assert_eq!(forgotten(&[pilot(settling())], "response_time", LENGTH), Duration::ZERO);
    }
}
