//! The lines of a text that a mistake is shown with: those around its place, long ones cut.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::redaction::Shown;
use crate::source::Place;

/// Lines kept before and after the place; the renderer shows one of each.
const CONTEXT: usize = 2;
/// Lines of a place that are shown at most.
const MOST_LINES: usize = 24;
/// Characters of a line that is shown whole; of a longer one, this many before and after the begin of the place.
const WIDEST: usize = 400;
const BEFORE: usize = 80;
const AFTER: usize = 240;
/// Stands for what is left out.
pub(crate) const CUT: &str = "…";

/// A part of a source that is as small as the renderer needs: it reads from the begin of what it is given.
#[derive(Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    /// The place in `text`.
    pub(crate) span: Range<usize>,
    /// Lines of the source before the excerpt.
    lines_before: usize,
    /// Octets of the place's line that are left out before it.
    left_out: usize,
}

impl Excerpt {
    /// The lines around a place, without the secrets in them; lines and columns are those of the text itself.
    pub(crate) fn of(place: &Place, shown: &Shown) -> Excerpt {
        let there = place.of_shown(shown);
        let mut excerpt = Excerpt::around(&there);
        let before = |place: &Place| {
            let before = &place.source.text[..place.span.start];
            (before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |end| end + 1))
        };
        let ((line, column), (line_shown, column_shown)) = (before(place), before(&there));
        excerpt.lines_before += line.saturating_sub(line_shown);
        excerpt.left_out = (excerpt.left_out + column).saturating_sub(column_shown);
        excerpt
    }

    fn around(place: &Place) -> Excerpt {
        let (whole, span) = (place.source.text.as_str(), &place.span);
        let mut at = start_of(whole, span.start);
        let lines_before = whole[..at].matches('\n').count();
        let until = end_of(whole, span.end);
        let mut excerpt =
            Excerpt { name: place.source.name.clone(), text: String::new(), span: 0..0, lines_before, left_out: 0 };
        let (mut start, mut end) = (None, None);
        for line in whole[at..until].split_inclusive('\n').take(MOST_LINES) {
            let here = at..at + line.len();
            let has_start = here.contains(&span.start);
            let kept = kept(line, if has_start { span.start - at } else { 0 });
            let mark = if kept.start > 0 { CUT } else { "" };
            let shown = excerpt.text.len() + mark.len();
            let shown_at = |place: usize| shown + (place - at).clamp(kept.start, kept.end) - kept.start;
            if has_start {
                start = Some(shown_at(span.start));
                excerpt.left_out = kept.start - mark.len();
            }
            if here.start < span.end && span.end <= here.end {
                end = Some(shown_at(span.end));
            }
            excerpt.text += mark;
            excerpt.text += &line[kept.clone()];
            if kept.end < line.len() {
                excerpt.text += CUT;
                excerpt.text += if line.ends_with('\n') { "\n" } else { "" };
            }
            at = here.end;
        }
        let start = start.unwrap_or(excerpt.text.len());
        excerpt.span = start..end.unwrap_or(excerpt.text.len()).max(start);
        if span.is_empty() {
            excerpt.span = start..start;
        }
        excerpt
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            found.data(),
            *found.span(),
            self.lines_before + found.line(),
            // only a place without context has a column
            if before == 0 { found.column() + self.left_out } else { found.column() },
            found.line_count(),
        )))
    }
}

/// A text of which the first `most` characters are shown.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Where the first line of context begins.
fn start_of(text: &str, place: usize) -> usize {
    let mut starts = text[..place].rmatch_indices('\n').map(|(end, _)| end + 1);
    starts.nth(CONTEXT).unwrap_or(0)
}

/// Where the last line of context ends.
fn end_of(text: &str, place: usize) -> usize {
    text[place..].match_indices('\n').nth(CONTEXT).map_or(text.len(), |(end, _)| place + end + 1)
}

/// The part of a line that is shown, around the octet `place`.
fn kept(line: &str, place: usize) -> Range<usize> {
    if line.char_indices().nth(WIDEST).is_none() {
        return 0..line.len();
    }
    let before = line[..place].char_indices().rev().nth(BEFORE - 1);
    let after = line[place..].char_indices().nth(AFTER);
    let start = before.map_or(0, |(start, _)| start);
    start..after.map_or(line.len(), |(end, _)| place + end)
}
