//! The secrets of the URLs in a text.

use std::ops::Range;

use super::name::is_of_query;
use super::{HIDDEN, Hidden};

/// The passwords of all URLs, each with the colon before it, and the secrets of their queries and fragments.
///
/// A URL ends at white space or a quote. Its password goes to the last `@`: one that was written without encoding may
/// have any letter.
pub(super) fn secrets(text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        if let Some(span) = password(&text[piece.clone()]) {
            found.push(Hidden { span: piece.start + span.start..piece.start + span.end, mark: "" });
        }
        queries(text, piece, &mut found);
    }
    found
}

/// The parts of a text between white space and quotes.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_between = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'');
    let mut at = 0;
    text.split(is_between).filter_map(move |piece| {
        let begin = at;
        at += piece.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        (!piece.is_empty()).then_some(begin..begin + piece.len())
    })
}

/// From the colon behind the user of a URL to its last `@`.
fn password(piece: &str) -> Option<Range<usize>> {
    let at = piece.rfind('@')?;
    let before = &piece[..at];
    let colon = if before.contains("://") { behind_user(before)? } else { without_scheme(before)? };
    Some(colon..at)
}

/// The colon behind the user of the first URL that has one and something other than a port behind it.
fn behind_user(text: &str) -> Option<usize> {
    text.match_indices("://").find_map(|(scheme, _)| {
        let begin = scheme + "://".len();
        let end = begin + text[begin..].find(['/', ':', '@', '?', '#', '['])?;
        (text[end..].starts_with(':') && !is_port(&text[end + 1..])).then_some(end)
    })
}

/// Digits, and then the path or what else follows a port.
fn is_port(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['/', '?', '#'])
}

/// The colon of `user:password@host`, where the scheme was forgotten.
fn without_scheme(text: &str) -> Option<usize> {
    let colon = text.find(':')?;
    let is_user = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '~' | '%' | '+' | '-');
    (text[..colon].ends_with(is_user) && !text[..colon].ends_with("mailto")).then_some(colon)
}

/// The values of parameters that are secrets, behind `?`, `&`, `;` or `#`.
fn queries(text: &str, piece: Range<usize>, found: &mut Vec<Hidden>) {
    let mut at = piece.start;
    while let Some(mark) = text[at..piece.end].find(['?', '&', ';', '#']) {
        let name = at + mark + 1;
        let end = text[name..piece.end].find(['?', '&', ';', '#', '=']).map_or(piece.end, |end| name + end);
        at = end;
        if text[end..piece.end].starts_with('=') && is_of_query(&text[name..end]) {
            let value = end + 1;
            at = text[value..piece.end].find(['&', '#']).map_or(piece.end, |end| value + end);
            // a sentence may go on behind a URL
            let shown = text[value..at].trim_end_matches([':', ',', '.', ';', ')', '`']).len();
            found.push(Hidden { span: value..value + shown, mark: HIDDEN });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shown;

    #[test]
    fn a_password_goes_to_the_last_at_sign() {
        for (text, expected) in [
            ("https://lab:s3cret@h/", "https://lab@h/"),
            ("see 'http://lab:p@ss/s3cret@h/x?y=1'.", "see 'http://lab@h/x?y=1'."),
            ("http://lab:12@h/", "http://lab@h/"),
            ("http://:s3cret@h/", "http://@h/"),
            ("http://lab@h:8080/x", "http://lab@h:8080/x"),
            ("http://h:8080/a@b", "http://h:8080/a@b"),
            ("sojourn://[fe80::1%eth0]:862", "sojourn://[fe80::1%eth0]:862"),
            ("lab:s3cret@h", "lab@h"),
            ("--peer=lab:s3cret@h:80", "--peer=lab@h:80"),
            ("mailto:lab@h, a: b@c", "mailto:lab@h, a: b@c"),
            ("äöü http://ä:ö@ü/", "äöü http://ä@ü/"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn secrets_of_a_query_are_hidden_and_the_rest_is_not() {
        for (text, expected) in [
            ("http://h/?api_key=a&x=1", "http://h/?api_key=***&x=1"),
            ("http://h/?x=1&Token=a;b#c", "http://h/?x=1&Token=***#c"),
            ("http://h/#access_token=a", "http://h/#access_token=***"),
            ("http://h/x;jsessionid=a?y=1", "http://h/x;jsessionid=***"),
            ("http://h/?%6Bey=a&sig=b c", "http://h/?%6Bey=***&sig=*** c"),
            ("http://h/?token=a?b=c", "http://h/?token=***"),
            ("dns://h/a?type=AAAA&over=tcp", "dns://h/a?type=AAAA&over=tcp"),
            ("http://h/?token", "http://h/?token"),
            ("http://h/?token=", "http://h/?token="),
            ("no answer of http://h/?token=a: refused", "no answer of http://h/?token=***: refused"),
            ("`http://h/?token=a`, (http://h/?key=b).", "`http://h/?token=***`, (http://h/?key=***)."),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
