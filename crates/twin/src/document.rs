//! Writes a scenario with comments as text.

use std::fmt::{Display, Write};

/// The longest line of a comment.
const WIDTH: usize = 110;

/// A TOML document that grows from top to bottom.
#[derive(Debug, Default)]
pub(super) struct Document {
    text: String,
}

impl Document {
    /// Lines of comment, broken at words.
    pub fn comment(&mut self, sentence: impl Display) {
        let sentence = sentence.to_string();
        let mut line = String::from("#");
        for word in sentence.split_whitespace() {
            if line.len() + word.len() >= WIDTH && line.len() > 1 {
                self.line(&line);
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    /// A header of a table, after an empty line.
    pub fn table(&mut self, header: &str) {
        let _ = writeln!(self.text, "{header}");
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A key with a value that is TOML already.
    pub fn key(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// A key with a text.
    pub fn text(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.text, "{key} = {}", quoted(value));
    }

    /// The whole document.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }
}

/// A TOML string.
pub(super) fn quoted(value: impl Display) -> String {
    let mut quoted = String::from("\"");
    for character in value.to_string().chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of names; of one name the name itself.
pub(super) fn names(names: &[String]) -> String {
    match names {
        [only] => quoted(only),
        several => format!("[{}]", several.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    }
}

/// A duration of a scenario with four significant digits.
pub(super) fn span(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        s if s <= 0.0 => return "0 s".to_owned(),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(scaled))
}

/// A number with four significant digits, without an exponent.
pub(super) fn digits(number: f64) -> String {
    let before = if number.abs() < 1.0 { 0 } else { libm::log10(number.abs()) as usize + 1 };
    let text = format!("{number:.*}", 4_usize.saturating_sub(before).min(4));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_four_digits_and_a_unit_that_fits() {
        let shown = [0.0, 2.5e-5, 0.128, 1.5, 60.0, 86_400.0].map(span);
        assert_eq!(shown, ["0 s", "25 µs", "128 ms", "1.5 s", "60 s", "86400 s"]);
        assert_eq!(span(1.234_567), "1.235 s");
    }

    #[test]
    fn a_text_with_quotes_and_controls_stays_one_string() {
        assert_eq!(quoted("a \"b\"\n"), "\"a \\\"b\\\"\\u000A\"");
    }

    #[test]
    fn comments_are_broken_at_words() {
        let mut document = Document::default();
        document.comment("word ".repeat(60));
        let text = document.finish();
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.starts_with("# word") && line.len() <= WIDTH));
    }
}
