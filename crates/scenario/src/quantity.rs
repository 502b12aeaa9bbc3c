//! Quantities: an exact decimal number and a unit, kept exact until used; and the steps of a grid of them.

use std::cmp::Ordering;

use sojourn_core::Duration;

use crate::units::ONE;
pub use crate::units::{Dimension, Unit};

/// Why a text is not a quantity of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not begin with a number.
    NotANumber,
    /// More digits than any use has.
    TooLong,
    /// A number where a unit is needed.
    UnitMissing,
    /// A unit of something else, or of nothing.
    UnitUnknown(String),
}

/// `mantissa * 10^exponent / divisor` of the SI unit, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    mantissa: i128,
    exponent: i32,
    divisor: u64,
}

/// Enough for any use; within it no product of quantities leaves 128 bits.
const MOST_DIGITS: usize = 24;
const LARGEST_EXPONENT: i32 = 40;
/// More digits than an f64 holds.
const MANY_DIGITS: i128 = 10i128.pow(33);

impl Quantity {
    /// Reads `78.125 kbit/s`, `128 ms`, `5 %`; the space may be left out.
    pub fn parse(text: &str, dimension: Dimension) -> Result<Quantity, Refusal> {
        let (decimal, rest) = Decimal::split(text.trim())?;
        decimal.with_unit(rest.trim(), dimension)
    }

    /// The `f64` nearest to the exact SI value.
    pub fn number(self) -> f64 {
        if self.divisor == 1 {
            return nearest(self.mantissa, self.exponent);
        }
        // more digits than an f64 holds, and one that is set where a remainder is left
        let (mut scaled, mut exponent) = (self.mantissa, self.exponent);
        while scaled != 0 && scaled.abs() < MANY_DIGITS {
            scaled *= 10;
            exponent -= 1;
        }
        let divisor = i128::from(self.divisor);
        let left = i128::from(scaled % divisor != 0) * scaled.signum();
        nearest(scaled / divisor * 10 + left, exponent - 1)
    }

    /// The span nearest to the exact value, a half rounded up; `None` when negative or beyond 213 days.
    pub fn duration(self) -> Option<Duration> {
        let picoseconds = self.scaled(12)?;
        u64::try_from(picoseconds).ok().map(Duration::from_picoseconds)
    }

    /// The whole number it is, if it is one.
    pub fn integer(self) -> Option<u64> {
        let whole = self.scaled(0)?;
        let exact = Quantity { mantissa: whole, exponent: 0, divisor: 1 };
        (self.compare(exact) == Ordering::Equal).then_some(whole).and_then(|whole| u64::try_from(whole).ok())
    }

    /// The span between events of which `share` happen at this rate: `share / rate`, to the nearest picosecond.
    ///
    /// `None` when the rate is not above zero or the span beyond 213 days.
    pub fn interval(self, share: u64) -> Option<Duration> {
        let mut numerator = i128::from(share) * i128::from(self.divisor);
        let mut denominator = self.mantissa;
        let exponent = 12 - self.exponent;
        let power = 10i128.checked_pow(exponent.unsigned_abs())?;
        if exponent >= 0 {
            numerator = numerator.checked_mul(power)?;
        } else {
            denominator = denominator.checked_mul(power)?;
        }
        if denominator <= 0 {
            return None;
        }
        let picoseconds = numerator.checked_add(denominator / 2)? / denominator;
        u64::try_from(picoseconds).ok().map(Duration::from_picoseconds)
    }

    /// Which of two is larger, to the accuracy of an `f64`.
    pub fn compare(self, other: Quantity) -> Ordering {
        self.number().total_cmp(&other.number())
    }

    /// The value in units of `10^-digits`, rounded half up.
    fn scaled(self, digits: i32) -> Option<i128> {
        let exponent = self.exponent + digits;
        let divisor = i128::from(self.divisor);
        if exponent >= 0 {
            let product = self.mantissa.checked_mul(10i128.checked_pow(exponent.unsigned_abs())?)?;
            return Some(product.checked_add(divisor / 2)?.div_euclid(divisor));
        }
        match 10i128.checked_pow(exponent.unsigned_abs()).and_then(|power| power.checked_mul(divisor)) {
            Some(power) => Some((self.mantissa + power / 2).div_euclid(power)),
            None => Some(0),
        }
    }
}

/// A decimal number as written, without unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    /// The number a text begins with, and the rest.
    pub fn split(text: &str) -> Result<(Decimal, &str), Refusal> {
        let bytes = text.as_bytes();
        let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let negative = bytes.first() == Some(&b'-');
        let (mut digits, mut fraction, mut seen, mut point) = (String::new(), 0i32, false, false);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    digits.push(char::from(byte));
                    seen = true;
                    fraction += i32::from(point);
                }
                b'_' if seen => {}
                b'.' if !point && seen => point = true,
                _ => break,
            }
            at += 1;
        }
        if !seen {
            return Err(Refusal::NotANumber);
        }
        let (power, length) = exponent(&text[at..])?;
        let digits = digits.trim_start_matches('0');
        if digits.len() > MOST_DIGITS || fraction > LARGEST_EXPONENT {
            return Err(Refusal::TooLong);
        }
        let magnitude: i128 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| Refusal::TooLong)? };
        let mantissa = if negative { -magnitude } else { magnitude };
        Ok((Decimal { mantissa, exponent: power - fraction }, &text[at + length..]))
    }

    /// The number as a quantity in a unit.
    pub fn with_unit(self, unit: &str, dimension: Dimension) -> Result<Quantity, Refusal> {
        let unit = match dimension.units().iter().find(|known| known.name == unit) {
            Some(known) => known,
            None if unit.is_empty() && dimension.bare() => &ONE,
            None if unit.is_empty() => return Err(Refusal::UnitMissing),
            None => return Err(Refusal::UnitUnknown(unit.to_owned())),
        };
        Ok(Quantity {
            mantissa: self.mantissa * i128::from(unit.numerator),
            exponent: self.exponent + unit.exponent,
            divisor: unit.divisor,
        })
    }

    /// The values from `low` to `high` in whole steps, both included; `None` when the step does not divide the range
    /// or there are more than `most`.
    pub fn steps(low: Decimal, high: Decimal, step: Decimal, most: usize) -> Option<Vec<Decimal>> {
        let exponent = low.exponent.min(high.exponent).min(step.exponent);
        let [low, high, step] = [low.at(exponent)?, high.at(exponent)?, step.at(exponent)?];
        let range = high.checked_sub(low)?;
        if step == 0 || range % step != 0 || range / step < 0 {
            return None;
        }
        let count = usize::try_from(range / step).ok().filter(|count| *count < most)?;
        Some((0..=count as i128).map(|k| Decimal { mantissa: low + k * step, exponent }).collect())
    }

    /// `index` of `parts` of the range from `low` to `high`, to twelve digits beyond those of the ends.
    pub fn part(low: Decimal, high: Decimal, index: u64, parts: u64) -> Decimal {
        let exponent = low.exponent.min(high.exponent) - 12;
        let parts = i128::from(parts.max(1));
        let exact = || {
            let [low, high] = [low.at(exponent)?, high.at(exponent)?];
            let range = high.checked_sub(low)?.checked_mul(i128::from(index))?;
            let part = range.checked_add(parts / 2)?.div_euclid(parts);
            Some(Decimal { mantissa: low.checked_add(part)?, exponent })
        };
        // numbers of more than two dozen digits do not fit: the nearer end will do
        exact().unwrap_or(if i128::from(index) * 2 < parts { low } else { high })
    }

    fn at(self, exponent: i32) -> Option<i128> {
        self.mantissa.checked_mul(10i128.checked_pow((self.exponent - exponent).unsigned_abs())?)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        if self.exponent >= 0 {
            let zeros = if self.mantissa == 0 { 0 } else { self.exponent.unsigned_abs() as usize };
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros));
        }
        let places = self.exponent.unsigned_abs() as usize;
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

/// The power of ten at the start of a text and its length; a letter e without digits belongs to the rest.
fn exponent(text: &str) -> Result<(i32, usize), Refusal> {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return Ok((0, 0)) };
    let sign = usize::from(rest.starts_with(['+', '-']));
    let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Ok((0, 0));
    }
    let power: i32 = rest[..sign + digits].parse().map_err(|_| Refusal::TooLong)?;
    if power.abs() > LARGEST_EXPONENT {
        return Err(Refusal::TooLong);
    }
    Ok((power, 1 + sign + digits))
}

fn nearest(mantissa: i128, exponent: i32) -> f64 {
    // the standard library reads a decimal to the nearest f64
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// A duration as a user would write it, exactly: the largest unit it is a whole number of.
pub fn duration_text(span: Duration) -> String {
    let picoseconds = span.picoseconds();
    let units = [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("µs", 1_000_000), ("ns", 1_000), ("ps", 1)];
    for (name, size) in units {
        if picoseconds.is_multiple_of(size) {
            return format!("{} {name}", picoseconds / size);
        }
    }
    unreachable!("every span is a whole number of picoseconds")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<Duration> {
        Quantity::parse(text, Dimension::Time).unwrap().duration()
    }

    #[test]
    fn a_value_is_the_f64_nearest_to_what_is_written() {
        let number = |text, dimension| Quantity::parse(text, dimension).unwrap().number();
        assert_eq!(number("78.125 kbit/s", Dimension::BitRate), 78_125.0);
        assert_eq!(number("0.1 /s", Dimension::Rate), 0.1);
        assert_eq!(number("10 /min", Dimension::Rate), 10.0 / 60.0);
        assert_eq!(number("-7 /h", Dimension::Rate), -7.0 / 3600.0);
        assert_eq!(number("1 KiB", Dimension::Size), 1024.0);
        assert_eq!(number("5%", Dimension::Fraction), 0.05);
        assert_eq!(number("0.05", Dimension::Fraction), 0.05);
        assert_eq!(number("1e-3 s", Dimension::Time), 0.001);
    }

    #[test]
    fn a_time_is_a_whole_number_of_picoseconds() {
        assert_eq!(seconds("128 ms"), Some(Duration::from_millis(128)));
        assert_eq!(seconds("10min"), Some(Duration::from_secs(600)));
        assert_eq!(seconds("19.67 µs"), Some(Duration::from_nanos(19_670)));
        assert_eq!(seconds("0.5 ps"), Some(Duration::from_picoseconds(1)));
        assert_eq!(seconds("1e-40 s"), Some(Duration::ZERO));
        assert_eq!(seconds("400 day"), None);
        assert_eq!(seconds("-1 s"), None);
    }

    #[test]
    fn a_number_without_unit_and_a_strange_unit_are_refused() {
        assert_eq!(Quantity::parse("300", Dimension::Rate), Err(Refusal::UnitMissing));
        assert_eq!(Quantity::parse("300 Hz", Dimension::Rate), Err(Refusal::UnitUnknown("Hz".into())));
        assert_eq!(Quantity::parse("fast", Dimension::Rate), Err(Refusal::NotANumber));
        assert_eq!(Quantity::parse("1e99 s", Dimension::Time), Err(Refusal::TooLong));
        assert_eq!(Quantity::parse("1111111111111111111111111 s", Dimension::Time), Err(Refusal::TooLong));
    }

    #[test]
    fn the_interval_of_a_rate_is_exact_to_the_picosecond() {
        let rate = |text| Quantity::parse(text, Dimension::Rate).unwrap();
        assert_eq!(rate("300 /s").interval(64), Some(Duration::from_picoseconds(213_333_333_333)));
        assert_eq!(rate("6 /min").interval(1), Some(Duration::from_secs(10)));
        assert_eq!(rate("0 /s").interval(1), None);
    }

    #[test]
    fn steps_are_counted_so_that_tenths_stay_tenths() {
        let decimal = |text| Decimal::split(text).unwrap().0;
        let texts = |low, high, step| {
            let steps = Decimal::steps(decimal(low), decimal(high), decimal(step), 100)?;
            Some(steps.iter().map(Decimal::to_string).collect::<Vec<_>>())
        };
        assert_eq!(texts("0.1", "0.5", "0.1").unwrap(), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(texts("500", "50", "-150").unwrap(), ["500", "350", "200", "50"]);
        assert_eq!(texts("1", "2", "0.3"), None);
        assert_eq!(texts("1", "2", "0"), None);
        assert_eq!(texts("0", "1e6", "1"), None);
    }

    #[test]
    fn a_duration_prints_in_the_largest_unit_it_is_a_whole_number_of() {
        assert_eq!(duration_text(Duration::from_secs(600)), "600 s");
        assert_eq!(duration_text(Duration::from_picoseconds(213_333_333_333)), "213333333333 ps");
        assert_eq!(duration_text(Duration::ZERO), "0 s");
    }
}
