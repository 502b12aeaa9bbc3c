//! The unit in which a condition on a metric is written.

use sojourn_metrics::registry::{self, MetricInformation};
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Expectation, Problem};

/// What the value of a condition may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionUnit {
    /// A quantity with a unit.
    Quantity(Dimension),
    /// A share: a percentage, or a number from 0 to 1.
    Share,
    /// A number in a unit that no scenario has (`packets/s`, `ppm`), or without one where that is allowed.
    Counted(&'static str, bool),
    /// A number without unit.
    Number,
}

impl ConditionUnit {
    /// The unit of a metric's field.
    pub fn of(information: &MetricInformation, field: &str) -> ConditionUnit {
        match (information.unit, information.shown_unit) {
            _ if field == "count" => ConditionUnit::Number,
            _ if matches!(field, "share" | "slowest_share") => ConditionUnit::Share,
            ("s", _) => ConditionUnit::Quantity(Dimension::Time),
            ("bit/s", _) => ConditionUnit::Quantity(Dimension::BitRate),
            ("B", _) => ConditionUnit::Quantity(Dimension::Size),
            ("1/s", shown) => ConditionUnit::Counted(shown.unwrap_or("/s"), false),
            ("cells/s", _) => ConditionUnit::Counted("cells/s", false),
            ("cells", _) => ConditionUnit::Counted("cells", true),
            (_, Some("%")) => ConditionUnit::Share,
            (_, Some(shown)) => ConditionUnit::Counted(shown, true),
            _ => ConditionUnit::Number,
        }
    }

    /// The unit in which pages show a value of a metric's field: that of results, but shares in percent.
    pub fn shown(metric: &str, field: &str) -> &'static str {
        let information = registry::find(metric);
        match information.map(|information| ConditionUnit::of(information, field)) {
            Some(ConditionUnit::Share) => "%",
            Some(ConditionUnit::Quantity(_) | ConditionUnit::Counted(..)) => {
                information.map_or("1", |known| known.unit)
            }
            Some(ConditionUnit::Number) | None => "1",
        }
    }

    /// Refuses a condition whose value is not in this unit, with the caret on the value.
    pub fn refuse_other(self, condition: &Expectation) -> Result<(), Problem> {
        let Expectation { metric, quantity, quantity_place, .. } = condition;
        let problem = |message: String| Err(Problem::at(quantity_place.clone(), message));
        let bare = Quantity::parse(quantity, Dimension::None).is_ok();
        if self.takes(quantity, bare) {
            if self == ConditionUnit::Share && bare && condition.value == 1.0 {
                let message = format!("`{metric}` is a share, and `{quantity}` is all of it");
                let help = format!("write \"{quantity} %\", or \"100 %\" for all of it");
                return problem(message).map_err(|problem| problem.help(help));
            }
            let too_large = self == ConditionUnit::Share && !(0.0..=1.0).contains(&condition.value);
            return match too_large {
                true => problem(format!("`{metric}` is a share of at most 1, and `{quantity}` is more"))
                    .map_err(|problem| problem.help(share_help(quantity, bare))),
                false => Ok(()),
            };
        }
        let (noun, units, example) = self.in_words();
        if bare {
            let message = format!("`{metric}` is {noun}, and `{quantity}` has no unit");
            let sign = condition.relation.sign();
            let help = format!("write \"{sign} {quantity} {example}\" or another unit of it: {units}");
            return problem(message).map_err(|problem| problem.help(help));
        }
        let help = if units.is_empty() { "leave the unit out".to_owned() } else { format!("units: {units}") };
        problem(format!("`{metric}` is {noun}, and `{quantity}` is not")).map_err(|problem| problem.help(help))
    }

    fn takes(self, quantity: &str, bare: bool) -> bool {
        match self {
            ConditionUnit::Quantity(dimension) => Quantity::parse(quantity, dimension).is_ok(),
            ConditionUnit::Share => Quantity::parse(quantity, Dimension::Fraction).is_ok(),
            ConditionUnit::Counted(unit, may_be_bare) => {
                let rate = unit.ends_with("/s") && Quantity::parse(quantity, Dimension::Rate).is_ok();
                // a queue holds cells, packets or customers
                let other = ["packets", "customers"].iter().find_map(|unit| quantity.strip_suffix(unit));
                let counted =
                    quantity.strip_suffix(unit).or(quantity.strip_suffix("1/s").filter(|_| unit.ends_with("/s")));
                let counted = counted.or(other.filter(|_| unit == "cells"));
                let counted = counted.is_some_and(|rest| Quantity::parse(rest, Dimension::None).is_ok());
                rate || counted || bare && may_be_bare
            }
            ConditionUnit::Number => bare,
        }
    }

    /// What an error calls it, its units, and the one of the example.
    fn in_words(self) -> (&'static str, String, &'static str) {
        match self {
            ConditionUnit::Quantity(dimension) => {
                let example = match dimension {
                    Dimension::Time => "ms",
                    _ => dimension.units().first().map_or("", |unit| unit.name),
                };
                (dimension.noun(), dimension.units_in_words(), example)
            }
            ConditionUnit::Share => ("a share", "%, or a number from 0 to 1 without unit".to_owned(), "%"),
            ConditionUnit::Counted(unit, _) if unit.ends_with("/s") => (
                "a rate",
                if unit == "/s" {
                    Dimension::Rate.units_in_words()
                } else {
                    format!("{unit}, {}", Dimension::Rate.units_in_words())
                },
                unit,
            ),
            ConditionUnit::Counted(unit, _) => ("a number", unit.to_owned(), unit),
            ConditionUnit::Number => ("a number without unit", String::new(), ""),
        }
    }
}

/// How a share above 1 or below 0 may have been meant.
fn share_help(quantity: &str, bare: bool) -> String {
    if bare { format!("write \"{quantity} %\", or a number from 0 to 1") } else { "from 0 % to 100 %".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_shown_in_percent_however_its_condition_is_written() {
        let shown = [("loss", "value"), ("response_time", "p99"), ("response_time", "count"), ("throughput", "value")];
        assert_eq!(shown.map(|(metric, field)| ConditionUnit::shown(metric, field)), ["%", "s", "1", "bit/s"]);
    }
}
