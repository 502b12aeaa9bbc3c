//! `[question]`: the limit of a key, and a value of it to judge, for `sojourn find`.

use crate::document::Document;
use crate::grid;
use crate::keys::Shape;
use crate::problem::{Problem, Problems};
use crate::scenario::Scenario;
use crate::vary;

/// The table's name.
pub(crate) const TABLE: &str = "question";

/// `[question]` of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The question as text.
    pub text: Option<&'a str>,
    /// The key and its range, as [`Document::vary`] reads it.
    pub vary: &'a str,
    /// The value asked about, as [`Document::setting`] reads it.
    pub asked: Option<&'a str>,
}

impl Scenario {
    /// Its `[question]`, if it has one.
    pub fn question(&self) -> Option<Question<'_>> {
        let table = self.one.get(TABLE)?;
        let vary = table.optional_word("vary")?;
        Some(Question { text: table.optional_word("text"), vary, asked: table.optional_word("asked") })
    }

    /// The same if the expanded scenario still has the key: shorthand tables are gone from there.
    pub(crate) fn lasting_question(&self) -> Option<Question<'_>> {
        self.question().filter(|question| {
            let table = question.vary.split('.').next().and_then(|name| self.keys.table(name.trim()));
            table.is_some_and(|table| table.shape != Shape::Shorthand)
        })
    }
}

/// The key must be one the scenario has, the value asked about one it takes.
pub(crate) fn check(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let Some(table) = scenario.one.get(TABLE) else { return };
    let mut refuse = |key: &str, found: Problems| {
        let place = table.place_of(key);
        problems.0.extend(found.0.into_iter().map(|problem| Problem { place: place.clone(), ..problem }));
    };
    let Some(question) = scenario.question() else {
        if table.has("asked") || table.has("text") {
            let problem = Problem::plain("[question] needs `vary`");
            refuse("vary", problem.help("write vary = \"KEY=LOW:HIGH UNIT\"").into());
        }
        return;
    };
    match vary::vary(document, question.vary) {
        Err(found) => refuse("vary", found),
        Ok(vary) => {
            if let Some(Err(found)) = question.asked.map(|value| grid::setting_of(document, &vary.path, value, value)) {
                refuse("asked", found);
            }
        }
    }
}
