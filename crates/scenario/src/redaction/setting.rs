//! The secrets of settings `NAME = VALUE` and `NAME: VALUE`: of documents, also with mistakes in them and in their comments,
//! of command lines, and of header fields.

use std::ops::Range;

use super::name::{self, is_harmless_field, is_word};
use super::{HIDDEN, Hidden};
use crate::keys::Secrecy;

/// The values of all settings that are secrets.
pub(super) fn secrets(text: &str) -> Vec<Hidden> {
    let mut scanner = Scanner { text, at: 0, found: Vec::new() };
    while scanner.setting().is_some() {}
    scanner.found
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Hidden>,
}

impl Scanner<'_> {
    /// Passes the next name, with its value if that is a secret; None at the end.
    fn setting(&mut self) -> Option<()> {
        let begin = self.at + self.text[self.at..].find(is_of_name)?;
        let end = begin + span_of(&self.text[begin..], is_of_name);
        self.at = end;
        // a parameter of a URL is not a setting
        if self.text[..begin].ends_with(['?', '&']) {
            return Some(());
        }
        let secrecy = name::secrecy(&self.text[begin..end]);
        if matches!(secrecy, Secrecy::Whole | Secrecy::Fields)
            && let Some(separator) = self.separator(begin..end)
        {
            let value = separator.end + span_of(&self.text[separator.end..], is_blank);
            self.value(value, secrecy, &self.enclosing(begin..end, &separator));
        }
        Some(())
    }

    /// What separates a name from its value: `=` or `:`, behind a quote if the name is in quotes; of an option a blank.
    fn separator(&self, name: Range<usize>) -> Option<Range<usize>> {
        let rest = &self.text[name.end..];
        let quote = usize::from(rest.starts_with(['"', '\'']));
        let blank = quote + span_of(&rest[quote..], is_blank);
        if rest[blank..].starts_with(['=', ':']) {
            return Some(name.end..name.end + blank + 1);
        }
        let is_option = self.text[name.clone()].starts_with("--") && blank > 0;
        is_option.then(|| name.end..name.end + blank)
    }

    /// Where a value without quotes ends.
    fn enclosing(&self, name: Range<usize>, separator: &Range<usize>) -> Ends {
        let own = self.text[..name.start].chars().next_back().filter(|letter| matches!(letter, '"' | '\''));
        let is_closed = self.text[name.end..].starts_with(['"', '\'']);
        let is_sentence = self.text[separator.clone()].ends_with(':') && is_word(&self.text[name]);
        match own {
            // of a JSON object, whose next member follows
            Some(_) if is_closed => Ends::Member,
            Some(quote) => Ends::Quote(quote),
            None if is_sentence => Ends::Word,
            None => Ends::AnyQuote,
        }
    }

    fn value(&mut self, begin: usize, secrecy: Secrecy, ends: &Ends) {
        let rest = &self.text[begin..];
        if rest.starts_with('[') {
            self.list(begin + 1, secrecy);
        } else if rest.starts_with(['"', '\'']) {
            let (inner, end) = string(self.text, begin);
            self.hide(inner, secrecy, end);
        } else if secrecy == Secrecy::Fields && harmless(rest).is_some() {
            // another field may follow, as in `--set measure.header=Accept: a,Cookie: b`
            self.at = begin + harmless(rest).unwrap_or(0);
        } else if !rest.starts_with('{') {
            let length = ends.length(rest);
            self.hide(begin..begin + length, secrecy, begin + length);
        }
    }

    /// The strings of a list, which may have several lines.
    fn list(&mut self, begin: usize, secrecy: Secrecy) {
        self.at = begin;
        while let Some(next) = self.text[self.at..].find(['"', '\'', ']']) {
            let next = self.at + next;
            if self.text[next..].starts_with(']') {
                self.at = next + 1;
                return;
            }
            let (inner, end) = string(self.text, next);
            self.hide(inner, secrecy, end);
            self.at = end;
        }
        self.at = self.text.len();
    }

    /// Hides a value, and goes on behind it.
    fn hide(&mut self, span: Range<usize>, secrecy: Secrecy, end: usize) {
        self.at = end;
        let value = &self.text[span.clone()];
        if secrecy != Secrecy::Fields {
            self.found.push(Hidden { span, mark: HIDDEN });
        } else if harmless(value).is_none() {
            // without a colon it is not a field, and yet it may have been meant as one
            let name = value.find(':').map_or(0, |colon| colon + 1);
            let begin = span.start + name + span_of(&value[name..], is_blank);
            self.found.push(Hidden { span: begin..span.end, mark: HIDDEN });
        }
    }
}

/// Octets of the name and the colon of a header field whose value is shown.
fn harmless(field: &str) -> Option<usize> {
    let end = field.find(|letter| !is_of_name(letter))?;
    (field[end..].starts_with(':') && is_harmless_field(&field[..end])).then_some(end + 1)
}

/// Where a value without quotes ends.
enum Ends {
    /// At this quote, in which its name stands, too.
    Quote(char),
    /// At any quote.
    AnyQuote,
    /// With the member of an object.
    Member,
    /// With the word.
    Word,
}

impl Ends {
    /// Octets of the value at the begin of a text; the end of the line ends it in any case.
    fn length(&self, text: &str) -> usize {
        let is_end = |letter: char| match self {
            Ends::Quote(quote) => letter == *quote,
            Ends::AnyQuote => matches!(letter, '"' | '\''),
            Ends::Member => matches!(letter, ',' | '}' | ']'),
            Ends::Word => letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | '}' | ']'),
        };
        span_of(text, |letter| letter != '\n' && !is_end(letter))
    }
}

/// What is in a string that begins with a quote, and where the string ends; one that is not closed ends with its line, or
/// with the text where it may have several lines.
fn string(text: &str, begin: usize) -> (Range<usize>, usize) {
    let quote = &text[begin..=begin];
    let triple = quote.repeat(3);
    if text[begin..].starts_with(&triple) {
        let inner = begin + triple.len();
        let end = text[inner..].find(&triple).map_or(text.len(), |end| inner + end);
        return (inner..end, (end + triple.len()).min(text.len()));
    }
    let inner = begin + 1;
    let mut is_escaped = false;
    let is_inside = |letter: char| {
        let ends = letter == '\n' || !is_escaped && quote.starts_with(letter);
        is_escaped = letter == '\\' && !is_escaped && quote == "\"";
        !ends
    };
    let end = inner + span_of(&text[inner..], is_inside);
    (inner..end, if text[end..].starts_with(quote) { end + 1 } else { end })
}

/// Octets at the begin of a text that are so.
fn span_of(text: &str, mut is: impl FnMut(char) -> bool) -> usize {
    text.find(|letter| !is(letter)).unwrap_or(text.len())
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::super::shown_document;

    fn assert_shown(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(shown_document(text), *expected, "{text}");
        }
    }

    #[test]
    fn settings_of_a_document_are_hidden_by_their_names() {
        assert_shown(&[
            ("password = \"a b\"\nx = 1", "password = \"***\"\nx = 1"),
            ("# auth_key = 'a'", "# auth_key = '***'"),
            ("h = { Authorization = \"a\", accept = \"x\" }", "h = { Authorization = \"***\", accept = \"x\" }"),
            ("\"key\" = \"a\\\"b\"", "\"key\" = \"***\""),
            ("{\"token\": 5, \"b\": 1}", "{\"token\": ***, \"b\": 1}"),
            ("key_file = \"/k\"\npackets_per_token = 3", "key_file = \"/k\"\npackets_per_token = 3"),
            ("a late token: the ring recovers", "a late token: *** ring recovers"),
            ("auth = { user = \"a\", password = \"b\" }", "auth = { user = \"a\", password = \"***\" }"),
            ("secret = [\"a\",\n 'b']\nx = \"c\"", "secret = [\"***\",\n '***']\nx = \"c\""),
            ("password = \"a", "password = \"***"),
            ("measure.body = \"\"\"\na\nb\"\"\"\nx = \"c\"", "measure.body = \"\"\"***\"\"\"\nx = \"c\""),
        ]);
    }

    #[test]
    fn header_fields_are_hidden_unless_they_are_harmless() {
        assert_shown(&[
            (
                "header = [\"Authorization: Bearer a\", \"Accept: b\"]",
                "header = [\"Authorization: ***\", \"Accept: b\"]",
            ),
            ("header = \"X-Own: a'b\"", "header = \"X-Own: ***\""),
            ("header = [\n  'Cookie: a=\"b\"',\n  \"nothing\"\n]", "header = [\n  'Cookie: ***',\n  \"***\"\n]"),
            ("# \"Authorization: Bearer it's\" x", "# \"Authorization: ***\" x"),
            ("measure.header=Accept: a,Cookie: b; c", "measure.header=Accept: a,Cookie: ***"),
        ]);
    }

    #[test]
    fn command_lines_are_shown_without_secrets() {
        assert_shown(&[
            ("sojourn measure x --header 'X-Own: a b' --rate 5", "sojourn measure x --header 'X-Own: ***' --rate 5"),
            ("--header X-Own: a b", "--header X-Own: ***"),
            ("'--set=measure.body=a b' --seed=3", "'--set=measure.body=***' --seed=3"),
            ("--on-alert 'curl -d a' x", "--on-alert '***' x"),
            ("--body 'a' '--peer=http://u:p@h/?key=b'", "--body '***' '--peer=http://u@h/?key=***'"),
        ]);
    }
}
