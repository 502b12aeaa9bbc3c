//! A condition of a search on the rate of a rare event: `risk(failures > 0) < 1 /year`.

use sojourn_metrics::interval::Interval;
use sojourn_scenario::{Problem, Relation};

use crate::claim::PERIODS;
use crate::limit::Condition;
use crate::verdict::{Judgement, Verdict};

/// A rate that first occurrences must keep below, or exceed.
#[derive(Clone, Debug, PartialEq)]
pub struct RateCondition {
    /// As written.
    pub text: String,
    /// The event: `failures > 0`.
    pub of: String,
    relation: Relation,
    /// The rate it is compared with, per second.
    pub limit: f64,
}

/// How such a condition is written.
const FORM: &str = "write 'risk(failures > 0) < 1 /year'; units: /s, /min, /h, /day, /week, /month, /year";

impl RateCondition {
    /// Reads a condition; `None` where it is about something else than a risk.
    pub fn read(text: &str) -> Option<Result<RateCondition, Problem>> {
        let trimmed = text.trim();
        let inside = trimmed.strip_prefix("risk")?.trim_start().strip_prefix('(')?;
        Some(Self::of_parts(trimmed, inside))
    }

    fn of_parts(text: &str, inside: &str) -> Result<RateCondition, Problem> {
        let refused = |part: &str, message: String| {
            let from = part.as_ptr() as usize - text.as_ptr() as usize;
            Problem::argument(text, from..from + part.len(), message).help(FORM)
        };
        let Some((of, compared)) = inside.split_once(')') else {
            return Err(refused(inside, "the event has no `)` after it".to_owned()));
        };
        let compared = compared.trim();
        let relations = [
            ("<=", Relation::LessOrEqual),
            (">=", Relation::GreaterOrEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        let found =
            relations.iter().find_map(|(sign, relation)| Some((compared.strip_prefix(sign)?.trim(), *relation)));
        let Some((rate, relation)) = found else {
            return Err(refused(compared, "a rate is compared by <, <=, > or >=".to_owned()));
        };
        let Some(limit) = per_second(rate) else {
            return Err(refused(rate, format!("`{rate}` is not a rate above 0")));
        };
        Ok(RateCondition { text: text.to_owned(), of: of.trim().to_owned(), relation, limit })
    }

    /// What a rate and its interval say of the condition.
    pub fn judge(&self, rate: Option<f64>, interval: Interval) -> Condition {
        let holds_at = |rate: f64| self.relation.holds(rate, self.limit);
        let holds = holds_at(rate.unwrap_or(0.0));
        let verdict = match (interval.iter().all(|&end| holds_at(end) == holds), holds) {
            (false, _) => Verdict::Undecided,
            (true, true) => Verdict::Met,
            (true, false) => Verdict::Missed,
        };
        let reason = rate.is_none().then(|| "did not occur".to_owned());
        Condition {
            text: self.text.clone(),
            metric: "risk".to_owned(),
            field: "rate".to_owned(),
            unit: "1/s",
            limit: self.limit,
            unseen: None,
            groups: None,
            judgement: Judgement {
                value: rate,
                interval: Some((interval[0], Some(interval[1]).filter(|high| high.is_finite()))),
                holds,
                verdict,
                reason,
            },
        }
    }
}

/// `1 /year`, `0.5/h`, `3 a day`.
fn per_second(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once('/')?;
    let number: f64 = number.trim().parse().ok()?;
    let unit = unit.trim();
    let short = [("s", "a second"), ("min", "a minute"), ("h", "an hour")];
    let named = |(period, _): &&(&str, f64)| {
        let word = period.split(' ').nth(1).unwrap_or_default();
        word == unit || short.iter().any(|(short, of)| short == &unit && of == period)
    };
    let (_, seconds) = PERIODS.iter().find(named)?;
    (number > 0.0 && number.is_finite()).then(|| number / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RateCondition {
        RateCondition::read(text).unwrap().unwrap()
    }

    #[test]
    fn a_rate_is_compared_in_any_usual_period() {
        let condition = read("risk(medium/floor-2 collapsed) < 1 /year");
        assert_eq!((condition.of.as_str(), condition.limit), ("medium/floor-2 collapsed", 1.0 / 31_536_000.0));
        assert_eq!(read("risk( failures > 0 ) >= 0.5/h").limit, 0.5 / 3600.0);
        assert_eq!(read("risk(queue_length > 4) <= 2 /day").relation, Relation::LessOrEqual);
        assert_eq!(RateCondition::read("response_time.p99 < 1 s"), None);
    }

    #[test]
    fn what_is_no_rate_is_refused_where_it_is_written() {
        let refused = |text: &str| {
            let problem = RateCondition::read(text).unwrap().unwrap_err();
            format!("{} [{}]", problem.message, problem.place.unwrap().text())
        };
        assert_eq!(refused("risk(failures > 0) < 1 s"), "`1 s` is not a rate above 0 [1 s]");
        assert_eq!(refused("risk(failures > 0) < 1 /fortnight"), "`1 /fortnight` is not a rate above 0 [1 /fortnight]");
        assert!(refused("risk(failures > 0) = 1 /year").contains("compared by <"));
        assert!(refused("risk(failures > 0").contains("no `)`"));
    }

    #[test]
    fn an_interval_on_one_side_of_the_limit_decides() {
        let condition = read("risk(failures > 0) < 1 /s");
        let verdict = |rate, interval| condition.judge(rate, interval).judgement.verdict;
        assert_eq!(verdict(Some(0.5), [0.3, 0.8]), Verdict::Met);
        assert_eq!(verdict(Some(0.5), [0.3, 1.2]), Verdict::Undecided);
        assert_eq!(verdict(Some(5.0), [3.0, 8.0]), Verdict::Missed);
        assert_eq!(verdict(None, [0.0, 0.2]), Verdict::Met);
        assert_eq!(verdict(None, [0.0, 2.0]), Verdict::Undecided);
        let open = condition.judge(None, [0.0, f64::INFINITY]).judgement;
        assert_eq!((open.verdict, open.interval), (Verdict::Undecided, Some((0.0, None))));
    }
}
