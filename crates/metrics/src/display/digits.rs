//! The digits of a number.

use super::NONE;

/// A number as `mantissa * 10^exponent`, the mantissa from 1 up to 10 and of its sign.
pub(super) struct Scientific {
    pub mantissa: f64,
    pub exponent: i32,
}

impl Scientific {
    pub fn of(value: f64) -> Scientific {
        Scientific::read(&format!("{value:e}"))
    }

    fn read(text: &str) -> Scientific {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        Scientific { mantissa: mantissa.parse().unwrap_or(f64::NAN), exponent: exponent.parse().unwrap_or(0) }
    }
}

/// A number with this many significant digits, without exponent from 0.0001 to a million, where no digit before the decimal point is
/// rounded away.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.trunc() == value && value.abs() < 1e6 {
        return format!("{value:.0}");
    }
    let after_first = digits.saturating_sub(1);
    let rounded = format!("{value:.after_first$e}");
    let exponent = Scientific::read(&rounded).exponent; // 0.9997 has that of 1.00
    if !(-4..6).contains(&exponent) {
        let mantissa = rounded.split('e').next().unwrap_or_default();
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let decimals = usize::try_from(after_first as i32 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// An estimate in some significant digits, whole numbers too, without exponent and trailing zeros: `2`, `0.13`, `85`, `1200`.
pub fn rounded(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    rounded.to_string()
}

/// Two numbers, [`rounded`] to three digits or to as many as it takes to see which is more, up to seven.
pub fn apart(one: f64, other: f64) -> [String; 2] {
    let pair = |digits| [one, other].map(|value| rounded(value, digits));
    (3..7).map(pair).find(|[one, other]| one != other).unwrap_or_else(|| pair(7))
}

/// With the sign U+2212.
pub(super) fn minus(number: String) -> String {
    if number.contains('-') { number.replace('-', "−") } else { number }
}
