//! Exact decimal numbers: what a user writes before a unit, and the steps of a grid.

use crate::quantity::{Quantity, Refusal};
use crate::units::{Dimension, ONE};

/// Enough for any use; within it no product of quantities leaves 128 bits.
const MOST_DIGITS: usize = 24;
const LARGEST_EXPONENT: i32 = 40;

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

    /// The values from `low` to `high` in whole steps, both included; `None` when the step does not divide the way
    /// or there are more than `most`.
    pub fn steps(low: Decimal, high: Decimal, step: Decimal, most: usize) -> Option<Vec<Decimal>> {
        let exponent = low.exponent.min(high.exponent).min(step.exponent);
        let [low, high, step] = [low.at(exponent)?, high.at(exponent)?, step.at(exponent)?];
        let way = high.checked_sub(low)?;
        if step == 0 || way % step != 0 || way / step < 0 {
            return None;
        }
        let count = usize::try_from(way / step).ok().filter(|count| *count < most)?;
        Some((0..=count as i128).map(|k| Decimal { mantissa: low + k * step, exponent }).collect())
    }

    /// `index` of `parts` of the way from `low` to `high`, to twelve digits beyond those of the ends.
    pub fn part(low: Decimal, high: Decimal, index: u64, parts: u64) -> Decimal {
        let exponent = low.exponent.min(high.exponent) - 12;
        let parts = i128::from(parts.max(1));
        let exact = || {
            let [low, high] = [low.at(exponent)?, high.at(exponent)?];
            let way = high.checked_sub(low)?.checked_mul(i128::from(index))?;
            let part = way.checked_add(parts / 2)?.div_euclid(parts);
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

/// The power of ten at the start of a text and its length; a letter e without digits is no power but the rest.
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
