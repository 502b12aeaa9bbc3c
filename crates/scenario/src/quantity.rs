//! Quantities: an exact decimal and a unit, kept exact until used.

use std::cmp::Ordering;

use sojourn_core::Duration;

pub use crate::decimal::Decimal;
pub use crate::units::{Dimension, Unit};

/// Why a text is no quantity of a dimension.
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
    pub(crate) mantissa: i128,
    pub(crate) exponent: i32,
    pub(crate) divisor: u64,
}

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
        // more digits than an f64 holds, and one that says whether anything is left
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
