//! The values of an axis: `50:500:50 /s` (both ends included) or `a,b,c`.

use std::ops::Range;

use crate::decimal::Decimal;

/// More values than anyone wants to wait for.
const MOST_VALUES: i128 = 100_000;

/// What is wrong with an axis, and how to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// How to put it right.
    pub help: Option<String>,
    /// Where in the text given.
    pub span: Range<usize>,
}

impl Fault {
    fn new(text: &str, message: impl Into<String>, help: &str) -> Fault {
        Fault { message: message.into(), help: Some(help.to_owned()), span: 0..text.len() }
    }
}

/// The values `text` stands for, each with its unit. Grids are counted in whole steps of exact decimals.
pub fn values(text: &str) -> Result<Vec<String>, Fault> {
    if text.contains(':') {
        return range_values(text);
    }
    let mut parts: Vec<String> = text.split(',').map(|part| part.trim().to_owned()).collect();
    if parts.iter().any(String::is_empty) {
        return Err(Fault::new(text, "a value is missing", "write values as `1,2,3 /s`, or a range as `50:500:50 /s`"));
    }
    share_unit(&mut parts);
    distinct(parts)
}

/// The same values, none of them twice.
pub fn distinct(values: Vec<String>) -> Result<Vec<String>, Fault> {
    if let Some(twice) = (1..values.len()).find(|&index| values[..index].contains(&values[index])) {
        let message = format!("`{}` stands here twice", values[twice]);
        return Err(Fault { message, help: None, span: 0..0 });
    }
    if values.is_empty() {
        return Err(Fault { message: "an axis has at least one value".to_owned(), help: None, span: 0..0 });
    }
    Ok(values)
}

/// `LOW:HIGH UNIT`, the range of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lower end.
    pub low: Decimal,
    /// The upper end.
    pub high: Decimal,
    /// The unit both have, empty for none.
    pub unit: String,
}

/// Reads `LOW:HIGH UNIT`.
pub fn span(text: &str) -> Result<Span, Fault> {
    const HELP: &str = "write a range as `LOW:HIGH UNIT`, as `50:500 /s`";
    let [low, high] = text.split(':').collect::<Vec<_>>()[..] else {
        return Err(Fault::new(text, "this is no range", HELP));
    };
    let (high, unit) = number_and_unit(high);
    let (Some(low), Some(high)) = (bare(low, unit), Decimal::parse(high)) else {
        return Err(Fault::new(text, "a range has a number at each end", HELP));
    };
    if !high.minus(low).is_positive() {
        return Err(Fault::new(text, format!("{low} is not below {high}"), HELP));
    }
    Ok(Span { low, high, unit: unit.to_owned() })
}

/// A number with its unit, as a scenario writes it.
pub fn quantity(number: Decimal, unit: &str) -> String {
    if unit.is_empty() { number.to_string() } else { format!("{number} {unit}") }
}

fn range_values(text: &str) -> Result<Vec<String>, Fault> {
    const HELP: &str = "write a range as `FIRST:LAST:STEP UNIT`, as `50:500:50 /s`";
    let [first, last, step] = text.split(':').collect::<Vec<_>>()[..] else {
        return Err(Fault::new(text, "this is no range", HELP));
    };
    let (step, unit) = number_and_unit(step);
    let (Some(first), Some(last), Some(step)) = (bare(first, unit), bare(last, unit), Decimal::parse(step)) else {
        return Err(Fault::new(text, "a range has a number at first, last and step, and one unit at its end", HELP));
    };
    if !step.is_positive() {
        return Err(Fault::new(text, format!("the step {step} is not above 0"), HELP));
    }
    let (steps, divides) = last.minus(first).whole_steps(step);
    if steps < 0 {
        return Err(Fault::new(text, format!("{first} is above {last}"), HELP));
    }
    if steps >= MOST_VALUES {
        return Err(Fault::new(text, format!("these are {} values", steps + 1), "use a larger step"));
    }
    let at = |index| first.plus_steps(step, index).expect("between two numbers that fit");
    if !divides {
        let help = format!("both ends belong to a range: write {first}:{}:{step} or another step", at(steps));
        return Err(Fault::new(text, format!("whole steps of {step} from {first} miss {last}"), &help));
    }
    Ok((0..=steps).map(|index| quantity(at(index), unit)).collect())
}

/// In `1,8,16 B` the unit at the end is that of every bare number.
fn share_unit(parts: &mut [String]) {
    let Some((last, others)) = parts.split_last_mut() else {
        return;
    };
    let (number, unit) = number_and_unit(last);
    if unit.is_empty() || Decimal::parse(number).is_none() || others.iter().any(|part| Decimal::parse(part).is_none()) {
        return;
    }
    for part in others {
        *part = format!("{part} {unit}");
    }
}

/// A number that may repeat the unit of the range.
fn bare(text: &str, unit: &str) -> Option<Decimal> {
    let (number, own) = number_and_unit(text);
    (own.is_empty() || own == unit).then(|| Decimal::parse(number)).flatten()
}

/// `"50 /s"` as `("50", "/s")`; an exponent is part of the number.
fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    if let Some((number, unit)) = text.split_once(char::is_whitespace) {
        return (number, unit.trim());
    }
    let end = (1..=text.len()).rev().find(|&end| text.is_char_boundary(end) && Decimal::parse(&text[..end]).is_some());
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_range_holds_both_ends_and_carries_its_unit() {
        assert_eq!(values("50:200:50 /s").unwrap(), ["50 /s", "100 /s", "150 /s", "200 /s"]);
        assert_eq!(values("0:0.3:0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("10ms:30ms:10ms").unwrap(), ["10 ms", "20 ms", "30 ms"]);
        assert_eq!(values("1e3:2e3:500 bit/s").unwrap(), ["1000 bit/s", "1500 bit/s", "2000 bit/s"]);
        assert_eq!(values("5:5:1").unwrap(), ["5"]);
    }

    #[test]
    fn a_list_takes_words_and_shares_the_last_unit_with_bare_numbers() {
        assert_eq!(values("acknowledged, unacknowledged").unwrap(), ["acknowledged", "unacknowledged"]);
        assert_eq!(values("1,8,16 B").unwrap(), ["1 B", "8 B", "16 B"]);
        assert_eq!(values("1 B,2 KiB").unwrap(), ["1 B", "2 KiB"]);
    }

    #[test]
    fn an_end_that_whole_steps_miss_is_refused_with_the_last_one_they_reach() {
        let fault = values("50:500:60 /s").unwrap_err();
        assert!(fault.help.unwrap().contains("50:470:60"), "{}", fault.message);
    }

    #[test]
    fn what_is_no_axis_is_refused() {
        for text in
            ["", "1,,2", "1:2", "5:1:1", "1:5:0", "1:5:-1", "a:b:c", "1:2:3:4", "0:1e9:1", "1,1", "10 ms:30 s:10 s"]
        {
            assert!(values(text).is_err(), "{text}");
        }
        for text in ["1", "2:1", "1:1", "a:b", "1:2:3"] {
            assert!(span(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_values_or_a_fault(text in "\\PC{0,24}") {
            let _ = values(&text);
            let _ = span(&text);
        }

        #[test]
        fn texts_that_look_like_ranges_never_overflow(text in "-?[0-9.e]{1,20}:-?[0-9.e]{1,20}:[0-9.e]{1,20} ?[a-z/]{0,3}") {
            let _ = values(&text);
        }
    }
}
