//! A user error: what is wrong, where, and how to correct it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use serde_json::json;

use crate::excerpt::{Excerpt, shortened};
use crate::redaction::{Shown, shown};
use crate::source::{Place, Source};

/// Mistakes that are shown of all: a text whose every line is wrong has one reason, and a reader who looks for it.
pub const MOST_SHOWN: usize = 20;
/// Characters of a message or an advice that are shown; both may quote the text.
const MOST_OF_MESSAGE: usize = 1000;

/// One mistake of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one sentence; of URLs that it quotes without the secrets.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where, if it stands anywhere.
    pub place: Option<Place>,
}

impl Problem {
    /// A mistake that stands nowhere (a file that cannot be read).
    pub fn plain(message: impl Into<String>) -> Problem {
        Problem::at(None, message)
    }

    /// A mistake at a place.
    pub fn at(place: Option<Place>, message: impl Into<String>) -> Problem {
        Problem { message: shown(&message.into()), help: None, place }
    }

    /// A mistake in a span of a command-line argument.
    pub fn argument(argument: &str, span: Range<usize>, message: impl Into<String>) -> Problem {
        let source = Source::new(ARGUMENT, argument);
        Problem::at(Some(Place::new(&source, span)), message)
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(shown(&help.into()));
        self
    }

    /// The same with advice, if there is any.
    pub fn maybe_help(mut self, help: Option<String>) -> Problem {
        self.help = help.map(|help| shown(&help));
        self
    }

    /// File, line, column (null where it stands nowhere), message and help.
    pub fn to_json(&self) -> serde_json::Value {
        let position = self.place.as_ref().map(|place| place.source.line_and_column(place.span.start));
        json!({
            "file": self.place.as_ref().map(|place| &place.source.name),
            "line": position.map(|(line, _)| line),
            "column": position.map(|(_, column)| column),
            "message": shortened(&self.message, MOST_OF_MESSAGE),
            "help": self.help.as_ref().map(|help| shortened(help, MOST_OF_MESSAGE)),
        })
    }
}

/// The name an error shows for a command-line argument.
pub const ARGUMENT: &str = "command line";

/// All the mistakes found, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// A list without mistakes.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Adds a mistake to those found.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` if there are no mistakes, else the mistakes in order.
    pub fn or<T>(mut self, value: T) -> Result<T, Problems> {
        if self.is_empty() {
            return Ok(value);
        }
        self.sort();
        Err(self)
    }

    /// In the order of the texts they stand in, those without a place last; repeats are dropped.
    pub fn sort(&mut self) {
        let mut order: Vec<Arc<Source>> = Vec::new();
        for place in self.0.iter().filter_map(|problem| problem.place.as_ref()) {
            if !order.iter().any(|source| Arc::ptr_eq(source, &place.source)) {
                order.push(place.source.clone());
            }
        }
        let rank = |problem: &Problem| {
            let Some(place) = problem.place.as_ref() else { return (order.len(), 0) };
            let text = order.iter().position(|source| Arc::ptr_eq(source, &place.source));
            (text.unwrap_or(order.len()), place.span.start)
        };
        self.0.sort_by_key(rank);
        self.0.dedup();
    }

    /// For a terminal: the first [`MOST_SHOWN`], each with its line and a caret, and how many more there are.
    pub fn render(&self, colour: bool, width: usize) -> String {
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false);
        let mut text = String::new();
        let mut sources = Sources::default();
        for problem in self.shown() {
            let report = Report::new(problem, &mut sources);
            if handler.render_report(&mut text, &report).is_err() {
                // a formatter that writes to a string does not fail; keep the message whatever happens
                text.push_str(&report.message);
            }
            text.push('\n');
        }
        match self.0.len().saturating_sub(MOST_SHOWN) {
            0 => {}
            1 => text.push_str("and 1 more mistake\n"),
            more => text.push_str(&format!("and {more} more mistakes\n")),
        }
        text
    }

    /// A list of [`Problem::to_json`] of the first [`MOST_SHOWN`].
    pub fn to_json(&self) -> serde_json::Value {
        self.shown().map(Problem::to_json).collect()
    }

    fn shown(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter().take(MOST_SHOWN)
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false, 100))
    }
}

impl std::error::Error for Problems {}

/// What the renderer asks of a problem.
#[derive(Debug)]
struct Report {
    message: String,
    help: Option<String>,
    excerpt: Option<Excerpt>,
}

impl Report {
    fn new(problem: &Problem, sources: &mut Sources) -> Report {
        Report {
            message: shortened(&problem.message, MOST_OF_MESSAGE),
            help: problem.help.as_ref().map(|help| shortened(help, MOST_OF_MESSAGE)),
            excerpt: problem.place.as_ref().map(|place| Excerpt::of(place, sources.shown(&place.source))),
        }
    }
}

/// The texts of some mistakes, as they are shown.
#[derive(Default)]
struct Sources(Vec<(Arc<Source>, Shown)>);

impl Sources {
    fn shown(&mut self, source: &Arc<Source>) -> &Shown {
        let known = self.0.iter().position(|(known, _)| Arc::ptr_eq(known, source));
        let index = known.unwrap_or_else(|| {
            self.0.push((source.clone(), Shown::of_document(&source.text)));
            self.0.len() - 1
        });
        &self.0[index].1
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn help<'h>(&'h self) -> Option<Box<dyn fmt::Display + 'h>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.excerpt.as_ref()?.span.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}
