//! Exact decimals, so that a grid of 0.1 steps holds 0.3 and not 0.30000000000000004.

use std::fmt;

/// `digits / 10^scale`, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: i128,
    scale: u32,
}

/// More decimal places than any quantity needs; keeps every sum within 128 bits.
const MOST_PLACES: u32 = 18;

impl Decimal {
    /// Reads `"-1.25"`, `"1e3"`, `"2.5E-3"` or `"1_000"`; `None` when it is no number, or has more than 18
    /// decimal places or 18 whole digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let text = text.trim();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let negative = whole.starts_with('-');
        let whole = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let digits: String = whole.chars().chain(fraction.chars()).filter(|&c| c != '_').collect();
        if digits.is_empty() || digits.len() > 36 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let places = i32::try_from(fraction.chars().filter(|&c| c != '_').count()).ok()?.checked_sub(exponent)?;
        let digits: i128 = digits.parse().ok()?;
        let value = Decimal::with_places(if negative { -digits } else { digits }, places)?;
        (value.digits.unsigned_abs() < 10u128.pow(18 + value.scale)).then_some(value)
    }

    /// A whole number.
    pub const fn whole(value: i64) -> Decimal {
        Decimal { digits: value as i128, scale: 0 }
    }

    /// Whether nothing stands behind the point.
    pub const fn is_whole(self) -> bool {
        self.scale == 0
    }

    /// Whether it is above zero.
    pub const fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// This less `other`.
    pub fn minus(self, other: Decimal) -> Decimal {
        let (a, b, scale) = aligned(self, other);
        Decimal { digits: a - b, scale }.trimmed()
    }

    /// This and `count` times `step`; `None` beyond 128 bits.
    pub fn plus_steps(self, step: Decimal, count: i128) -> Option<Decimal> {
        let (start, step, scale) = aligned(self, step);
        Some(Decimal { digits: start.checked_add(step.checked_mul(count)?)?, scale }.trimmed())
    }

    /// How many whole `step` this holds and whether nothing is left over. Panics when `step` is zero.
    pub fn whole_steps(self, step: Decimal) -> (i128, bool) {
        let (span, step, _) = aligned(self, step);
        (span.div_euclid(step), span.rem_euclid(step) == 0)
    }

    /// This over 10^`places`; `None` past the most decimal places.
    pub fn shifted(self, places: u32) -> Option<Decimal> {
        Decimal::with_places(self.digits, i32::try_from(self.scale + places).ok()?)
    }

    fn with_places(digits: i128, places: i32) -> Option<Decimal> {
        if places <= 0 {
            let factor = 10i128.checked_pow(places.unsigned_abs())?;
            return Some(Decimal { digits: digits.checked_mul(factor)?, scale: 0 });
        }
        let value = Decimal { digits, scale: places.unsigned_abs() }.trimmed();
        (value.scale <= MOST_PLACES).then_some(value)
    }

    fn trimmed(mut self) -> Decimal {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }
}

/// Both as counts of the finer one's last place.
fn aligned(a: Decimal, b: Decimal) -> (i128, i128, u32) {
    let scale = a.scale.max(b.scale);
    (a.digits * 10i128.pow(scale - a.scale), b.digits * 10i128.pow(scale - b.scale), scale)
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let unit = 10u128.pow(self.scale);
        let (whole, fraction) = (self.digits.unsigned_abs() / unit, self.digits.unsigned_abs() % unit);
        if self.scale == 0 {
            return write!(f, "{sign}{whole}");
        }
        write!(f, "{sign}{whole}.{fraction:0width$}", width = self.scale as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn numbers_print_as_they_were_meant() {
        for (written, meant) in [
            ("50", "50"),
            ("0.10", "0.1"),
            ("-1.25", "-1.25"),
            ("1e3", "1000"),
            ("2.5E-3", "0.0025"),
            ("1_000", "1000"),
            (".5", "0.5"),
        ] {
            assert_eq!(decimal(written).to_string(), meant);
        }
    }

    #[test]
    fn what_is_no_number_is_refused_without_a_panic() {
        for text in [
            "",
            "-",
            ".",
            "1e",
            "1e99999999999",
            "1e-2147483648",
            "1e2147483647",
            "five",
            "1.2.3",
            "1e300",
            "9".repeat(80).as_str(),
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn three_tenths_are_three_steps_of_a_tenth() {
        assert_eq!(decimal("0").plus_steps(decimal("0.1"), 3), Some(decimal("0.3")));
        assert_eq!(decimal("0.3").whole_steps(decimal("0.1")), (3, true));
        assert_eq!(decimal("450").whole_steps(decimal("60")), (7, false));
    }
}
