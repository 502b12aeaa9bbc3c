//! Source texts in which mistakes are located: a file, a command-line argument, a cell of a list of stations.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::redaction::{self, Shown};

/// A text and the name an error shows for it.
#[derive(PartialEq, Eq)]
pub struct Source {
    /// A path as the user wrote it, or what an argument is called.
    pub name: String,
    /// The text of the file or argument.
    pub text: String,
    /// Whether it is a profile, whose values rank below those of the scenario.
    pub profile: bool,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into(), profile: false })
    }

    /// The same text as a profile.
    pub fn as_profile(&self) -> Arc<Source> {
        Arc::new(Source { name: self.name.clone(), text: self.text.clone(), profile: true })
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let offset = floor_to_character(&self.text, offset);
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// The text may have secrets.
impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Source").field("name", &redaction::shown(&self.name)).finish_non_exhaustive()
    }
}

/// Where in a text something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text that has the place.
    pub source: Arc<Source>,
    /// Byte range in the text.
    pub span: Range<usize>,
}

impl Place {
    /// A span of a text; a span beyond its end is cut, one within a character widened.
    pub fn new(source: &Arc<Source>, span: Range<usize>) -> Place {
        let start = floor_to_character(&source.text, span.start);
        let mut end = span.end.clamp(start, source.text.len());
        while !source.text.is_char_boundary(end) {
            end += 1;
        }
        Place { source: source.clone(), span: start..end }
    }

    /// Where `text` stands in a source that has it at byte `at`; at its start where that is not known.
    pub(crate) fn of_text(source: &Arc<Source>, text: &str, at: Option<usize>) -> Option<Place> {
        let at = at.unwrap_or(0);
        Some(Place::new(source, at..at + text.len()))
    }

    /// The same place of what is shown of the text: the source without its secrets.
    pub(crate) fn of_shown(&self, shown: &Shown) -> Place {
        let Source { name, profile, .. } = self.source.as_ref();
        let source = Source { name: redaction::shown(name), text: shown.text.clone(), profile: *profile };
        let start = shown.place(self.span.start, false);
        let end = if self.span.is_empty() { start } else { shown.place(self.span.end, true) };
        Place { source: Arc::new(source), span: start..end.max(start) }
    }

    /// The text that stands there.
    pub fn text(&self) -> &str {
        &self.source.text[self.span.clone()]
    }
}

fn floor_to_character(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
