//! Options of a URL: `?KEY=VALUE&KEY=VALUE`.

use std::ops::{Range, RangeInclusive};

use sojourn_scenario::{Problem, hint};

use super::Target;

/// The options of a URL that are not read yet, by their places in it.
#[derive(Debug)]
pub struct Options<'t> {
    target: &'t Target,
    left: Vec<UrlOption>,
    /// Every option that was asked for.
    known: Vec<&'static str>,
}

/// An option: byte ranges of its name and of its value.
#[derive(Clone, Debug)]
struct UrlOption {
    name: Range<usize>,
    value: Range<usize>,
}

impl<'t> Options<'t> {
    /// The options in a byte range, which begins with `?` where there are any.
    pub fn of(target: &'t Target, query: Range<usize>) -> Options<'t> {
        let (text, mut left) = (target.with_secrets(), Vec::new());
        let mut at = query.start + usize::from(text[query.clone()].starts_with('?'));
        for option in text[at..query.end].split('&') {
            let name = at..at + option.find('=').unwrap_or(option.len());
            let end = at + option.len();
            let value = (name.end + 1).min(end)..end;
            if !option.is_empty() {
                left.push(UrlOption { name, value });
            }
            at = end + 1;
        }
        Options { target, left, known: Vec::new() }
    }

    /// The value of an option and its place, if it is there.
    pub fn take(&mut self, name: &'static str) -> Option<(&'t str, Range<usize>)> {
        self.known.push(name);
        let text = self.target.with_secrets();
        let index = self.left.iter().position(|option| &text[option.name.clone()] == name)?;
        let UrlOption { value, .. } = self.left.remove(index);
        Some((&text[value.clone()], value))
    }

    /// An option that is a whole number within a range.
    pub fn number(&mut self, name: &'static str, range: RangeInclusive<u32>) -> Result<Option<u32>, Problem> {
        let Some((text, place)) = self.take(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            self.target.problem(place, format!("`{name}` is a whole number from {least} to {most}"))
        })
    }

    /// An option that is one of several words.
    pub fn word<T: Copy>(&mut self, name: &'static str, words: &[(&'static str, T)]) -> Result<Option<T>, Problem> {
        let Some((text, place)) = self.take(name) else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meant)| Some(*meant)).ok_or_else(|| {
            let problem = self.target.problem(place, format!("`{name}` has no value `{text}`"));
            let nearest = hint::nearest(text, words.iter().map(|(word, _)| *word));
            let values = format!("{name} is {}", listed(words));
            problem.help(nearest.map_or_else(|| values.clone(), |near| format!("did you mean `{near}`? {values}")))
        })
    }

    /// Refuses options that were not asked for, and those that stand twice.
    pub fn finish(self) -> Result<(), Problem> {
        let Some(UrlOption { name, value }) = self.left.into_iter().next() else { return Ok(()) };
        let word = self.target.part(name.clone());
        if self.known.contains(&word) {
            return Err(self.target.problem(name.start..value.end, format!("`{word}` is given twice")));
        }
        let problem = self.target.problem(name.start..value.end, format!("there is no option `{word}`"));
        let nearest = hint::suggestion(word, self.known.iter().copied());
        Err(problem.maybe_help(nearest))
    }
}

/// Words as a list: "none, even or odd".
fn listed<T>(words: &[(&'static str, T)]) -> String {
    let (last, others) = words.split_last().expect("an option has values");
    let others: Vec<_> = others.iter().map(|(word, _)| *word).collect();
    if others.is_empty() { last.0.to_owned() } else { format!("{} or {}", others.join(", "), last.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn target(query: &str) -> Target {
        Target::parse(&format!("x://h{query}"), &["x"]).unwrap()
    }

    #[test]
    fn options_are_read_by_name_whatever_their_order() {
        let target = target("?unit=7&parity=even&&flag");
        let mut options = Options::of(&target, 5..target.with_secrets().len());
        let parities = [("none", 0), ("even", 1)];
        assert_eq!(options.word("parity", &parities).unwrap(), Some(1));
        assert_eq!(options.number("unit", 0..=247).unwrap(), Some(7));
        assert_eq!(options.number("count", 1..=9).unwrap(), None);
        assert_eq!(options.take("flag"), Some(("", 30..30)));
        options.finish().unwrap();
    }

    #[test]
    fn a_mistake_stands_where_it_is_with_the_nearest_name() {
        let read = |query: &str| {
            let target = target(query);
            let mut options = Options::of(&target, 5..target.with_secrets().len());
            options.number("unit", 0..=247)?;
            options.word("parity", &[("none", 0), ("even", 1)])?;
            options.finish()
        };
        let mistake = |query: &str| {
            let problem = read(query).unwrap_err();
            (problem.place.unwrap().span, problem.message, problem.help.unwrap_or_default())
        };
        let of = |span, message: &str, help: &str| (span, message.to_owned(), help.to_owned());
        assert_eq!(mistake("?unit=300"), of(11..14, "`unit` is a whole number from 0 to 247", ""));
        assert_eq!(
            mistake("?parity=evn"),
            of(13..16, "`parity` has no value `evn`", "did you mean `even`? parity is none or even")
        );
        assert_eq!(mistake("?parity=7"), of(13..14, "`parity` has no value `7`", "parity is none or even"));
        assert_eq!(mistake("?unt=7"), of(6..11, "there is no option `unt`", "did you mean `unit`?"));
        assert_eq!(mistake("?unit=7&unit=8"), of(13..19, "`unit` is given twice", ""));
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused_without_a_panic(query in "\\PC{0,40}") {
            let target = target(&format!("?{query}"));
            let mut options = Options::of(&target, 5..target.with_secrets().len());
            let _ = options.number("unit", 0..=247);
            let _ = options.word("parity", &[("none", 0)]);
            let _ = options.finish();
        }
    }
}
