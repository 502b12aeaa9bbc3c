//! Shows texts without the secrets in them: passwords and tokens of URLs, and the values of settings that are secrets.
//!
//! Every message, caption, label, line and record that may quote a URL or a document is made with [`shown`] or
//! [`shown_document`]. Each octet is looked at a fixed number of times, since a text may be a visitor's and one word long.
//!
//! | file | concern |
//! |---|---|
//! | `name` | which names are those of secrets |
//! | `url` | the secrets of URLs |
//! | `setting` | the secrets of settings: of documents, command lines and header fields |
//! | `request` | the secrets of a request of the command line, as plain data |

mod name;
mod request;
mod setting;
mod url;

use std::ops::Range;

use serde_json::Value as Json;

pub use self::name::is_of_secret;

/// What stands in place of a secret.
pub const HIDDEN: &str = "***";

/// A text with URLs, without their passwords and without the secrets of their queries.
///
/// ```
/// let url = sojourn_scenario::redaction::shown("http://me:hunter2@host/x?api_key=hunter3&y=1");
/// assert_eq!(url, "http://me@host/x?api_key=***&y=1");
/// ```
pub fn shown(text: &str) -> String {
    Shown::of(text, url::secrets(text)).text
}

/// A document, or a part of one or of a command line, without the values of settings that are secrets and without those
/// of URLs.
pub fn shown_document(text: &str) -> String {
    Shown::of_document(text).text
}

/// A request of the command line, as plain data, without its secrets.
pub fn shown_request(request: Json) -> Json {
    request::shown(request)
}

/// The value of a key, without what of it is a secret.
pub fn shown_value(key: &str, value: &str) -> String {
    request::shown_value(key, value)
}

/// A part of a text as it is shown; [`HIDDEN`] where it has some of a secret of the whole.
pub fn shown_part(text: &str, part: Range<usize>) -> &str {
    let is_touched = |hidden: &Hidden| hidden.span.start < part.end && part.start < hidden.span.end;
    if url::secrets(text).iter().any(is_touched) { HIDDEN } else { &text[part] }
}

/// Whether a text has a mark in place of a secret, as one has that was kept: it cannot be sent.
pub fn is_without_secret(text: &str) -> bool {
    text.contains(HIDDEN)
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hidden {
    span: Range<usize>,
    /// What stands in its place.
    mark: &'static str,
}

/// A text without its secrets, and where its octets stood.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// What was left out, and where its mark stands.
    hidden: Vec<(Range<usize>, Range<usize>)>,
}

impl Shown {
    /// A document.
    pub(crate) fn of_document(text: &str) -> Shown {
        let mut found = url::secrets(text);
        found.extend(setting::secrets(text));
        Shown::of(text, found)
    }

    fn of(text: &str, mut found: Vec<Hidden>) -> Shown {
        found.sort_by_key(|hidden| (hidden.span.start, std::cmp::Reverse(hidden.span.end)));
        let mut shown = Shown { text: String::with_capacity(text.len()), hidden: Vec::new() };
        let mut at = 0;
        for Hidden { span, mark } in found {
            // one within another, or begun in it
            let span = span.start.max(at)..span.end.max(at);
            if span.is_empty() || text[span.clone()] == *HIDDEN {
                continue;
            }
            shown.text += &text[at..span.start];
            let begin = shown.text.len();
            shown.text += mark;
            shown.hidden.push((span.clone(), begin..shown.text.len()));
            at = span.end;
        }
        shown.text += &text[at..];
        shown
    }

    /// Where an octet of the text is shown: the begin of a mark for one that is left out, or its end for the end of a
    /// range.
    pub(crate) fn place(&self, octet: usize, is_end: bool) -> usize {
        let before = self.hidden.partition_point(|(span, _)| span.start < octet);
        let Some((span, mark)) = before.checked_sub(1).map(|last| &self.hidden[last]) else { return octet };
        match octet.checked_sub(span.end) {
            Some(behind) => mark.end + behind,
            None if is_end => mark.end,
            None => mark.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_again_in_what_is_shown() {
        let text = "see http://me:hunter2@host/?token=hunter3&x and so on";
        let shown = Shown::of_document(text);
        assert_eq!(shown.text, "see http://me@host/?token=***&x and so on");
        for word in ["see", "host", "token=", "&x", "and so on"] {
            let at = text.find(word).unwrap();
            let place = shown.place(at, false)..shown.place(at + word.len(), true);
            assert_eq!(&shown.text[place], word);
        }
        let secret = text.find("hunter3").unwrap();
        assert_eq!(&shown.text[shown.place(secret + 1, false)..shown.place(secret + 4, true)], HIDDEN);
    }

    #[test]
    fn a_part_of_a_secret_is_not_quoted() {
        let url = "http://me:pa/ss@host/";
        assert_eq!((shown_part(url, 10..12), shown_part(url, 0..4)), (HIDDEN, "http"));
    }

    #[test]
    fn what_is_shown_is_shown_the_same_again() {
        for text in ["http://me:a@h/?key=b&sig=c#token=d", "header = [\"X-Probe: 1\", \"Accept: b\"]", "password = a b"]
        {
            let once = shown_document(text);
            assert_eq!(shown_document(&once), once, "{text}");
        }
    }
}
