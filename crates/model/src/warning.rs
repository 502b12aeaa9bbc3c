//! What is said of a scenario before it is simulated.

use sojourn_scenario::Problem;

/// A rule of the trade that a scenario breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What breaks it, where, and what to do.
    pub problem: Problem,
    /// The rule and its source.
    pub rule: &'static str,
}

impl Warning {
    /// In one line: `site.toml:12: 70 devices on ... (SOURCE); ADVICE`.
    pub fn in_words(&self) -> String {
        let Problem { message, help, place } = &self.problem;
        let at = place
            .as_ref()
            .map(|place| format!("{}:{}: ", place.source.name, place.source.line_and_column(place.span.start).0));
        let help = help.as_ref().map(|help| format!("; {help}"));
        format!("{}{message} ({}){}", at.unwrap_or_default(), self.rule, help.unwrap_or_default())
    }
}
