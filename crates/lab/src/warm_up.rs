//! How long a model takes to forget how it began: MSER-5 on a pilot run without warm-up.

use sojourn_core::Duration;
use sojourn_metrics::mser::mser5;
use sojourn_metrics::record::Record;

/// How often a pilot that is too short for MSER-5 is doubled before the point fails.
pub const DOUBLINGS: u32 = 3;

/// The warm-up that the samples of `metric` in a pilot's trace call for, rounded up to two digits; `None` when
/// the pilot is too short.
pub fn from_pilot(pilot: &Record, metric: &str) -> Option<Duration> {
    let trace = pilot.traces.get(metric)?;
    let outputs: Vec<f64> = trace.iter().map(|&(_, value)| value).collect();
    let dropped = mser5(&outputs)?;
    if dropped == 0 {
        return Some(Duration::ZERO);
    }
    let (first_kept, _) = *trace.get(dropped)?;
    Some(rounded_up(Duration::from_picoseconds(first_kept)))
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
    use super::*;

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
        let warm_up = from_pilot(&pilot(settling()), "response_time").unwrap();
        assert_eq!(warm_up, Duration::from_picoseconds(75_000_000), "from output 60, at 74.07 µs");
    }

    #[test]
    fn a_run_that_never_settles_or_has_no_samples_is_refused() {
        assert_eq!(from_pilot(&pilot((0..400).map(f64::from)), "response_time"), None);
        assert_eq!(from_pilot(&Record::default(), "response_time"), None);
    }
}
