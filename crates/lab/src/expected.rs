//! Evaluates the expectations of a measurement.

use sojourn_experiment::claim::{Origin, needed};
use sojourn_experiment::condition::refuse_wrong_condition;
use sojourn_experiment::condition_unit::ConditionUnit;
use sojourn_experiment::evaluation::PointVerdict;
use sojourn_experiment::verdict::{Judgement, Verdict, judge};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::{Metric, Point};
use sojourn_scenario::{Expectation, Problems};

use crate::outcome::Outcome;

/// Reads expectations as `--expect` takes them, all mistakes at once.
pub fn read(texts: &[String]) -> Result<Vec<Expectation>, Problems> {
    let (mut found, mut problems) = (Vec::new(), Problems::new());
    for text in texts {
        let known = Expectation::parse(text).and_then(|expectation| {
            refuse_wrong_condition(&expectation)?;
            Ok(expectation)
        });
        match known {
            Ok(expectation) => found.push(expectation),
            Err(mistakes) => problems.0.extend(mistakes.0),
        }
    }
    problems.or(found)
}

/// Judges every point by every expectation. Phases that a metric does not apply to, such as the throughput of a load to
/// an idle phase, are skipped, unless it applies to none.
pub(crate) fn judge_points(expectations: &[&Expectation], points: &[Point], outcome: &mut Outcome) {
    for expectation in expectations {
        let measured = points.iter().enumerate().filter(|(_, point)| point.status == "ok");
        let mut verdicts: Vec<PointVerdict> = measured
            .map(|(index, point)| {
                let judgement = of_what_was_measured(expectation, judge(expectation, &point.metrics), point);
                PointVerdict {
                    point: index,
                    experiment: point.experiment.clone(),
                    set: point.set.clone(),
                    text: expectation.text.clone(),
                    unit: ConditionUnit::shown(&expectation.metric, &expectation.field),
                    needs: needed(expectation, &judgement, point, &outcome.records[index], Origin::Live),
                    judgement,
                }
            })
            .collect();
        let applies = |verdict: &PointVerdict| applies(&expectation.metric, &outcome.records[verdict.point]);
        if verdicts.iter().any(applies) {
            verdicts.retain(applies);
        }
        outcome.verdicts.extend(verdicts);
    }
}

/// An expectation of a measurement is about what was measured, not about a long-run mean: of times measured once, and where
/// there is no interval, the value decides.
fn of_what_was_measured(expectation: &Expectation, judgement: Judgement, point: &Point) -> Judgement {
    let is_time = matches!(point.metrics.get(&expectation.metric), Some(Metric::Distribution(_)));
    match judgement.interval {
        Some(_) if !is_time || point.replications > 1 => judgement,
        _ => Judgement { verdict: if judgement.holds { Verdict::Met } else { Verdict::Missed }, ..judgement },
    }
}

/// Whether a phase has the metric at all.
fn applies(metric: &str, records: &[Record]) -> bool {
    let absent = |record: &Record| matches!(record.metrics.get(metric), None | Some(Observation::NotApplicable));
    !records.iter().all(absent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_that_is_not_there_or_says_nothing_does_not_apply() {
        let mut loaded = Record::default();
        loaded.scalar("throughput", 1e6);
        let mut idle = Record::default();
        idle.observe("throughput", Observation::NotApplicable);
        assert!(applies("throughput", &[idle.clone(), loaded]));
        assert!(!applies("throughput", &[idle.clone()]) && !applies("mos", &[idle]));
    }

    #[test]
    fn every_mistake_is_reported_with_what_there_is() {
        let texts = ["response_time.p99 < 20 ms", "respons_time.p99 < 20 ms", "loss.p99 < 1 %", "loss < 2 %"];
        let mistakes = read(&texts.map(str::to_owned)).unwrap_err().0;
        assert_eq!(mistakes.len(), 2, "{mistakes:?}");
        assert!(mistakes[0].message.contains("no metric `respons_time`"));
        assert_eq!(mistakes[0].help.as_deref(), Some("did you mean `response_time`?"));
        assert!(mistakes[1].message.contains("`loss` has no field `p99`"));
    }
}
