//! Numbers as text for readers: values in SI units with a fitting prefix, their intervals, shares in percent.
//!
//! Results keep SI units and all digits. What a reader sees of them is written by these functions, from Python through the
//! bindings. Pages draw while their simulation computes in workers, so `numbers.js` has the same rules, and
//! `tests/numbers.json` cases that all are tested with.

mod amounts;
mod digits;

use crate::registry;

pub use amounts::{duration, percent, percent_lost, size};
pub use digits::{apart, rounded, significant};

use digits::{Scientific, minus};

/// Significant digits of a value.
pub const DIGITS: usize = 3;
/// What stands for a number that is not known.
pub const NONE: &str = "–";
/// An interval whose middle is off its value by less than this share of its width is written with ±.
const SYMMETRIC: f64 = 0.05;

/// The multiples of a unit that takes prefixes, the largest first.
type Ladder = &'static [(f64, &'static str)];

const SECONDS: Ladder = &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")];
const BITS: Ladder = &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")];
const HERTZ: Ladder = &[(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")];

/// The units in which shares are shown.
const RATIOS: [(f64, &str); 2] = [(0.01, "%"), (1e-6, "ppm")];

/// A unit of display: a value shown in it is the SI value over `factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale<'a> {
    /// Its size in the SI unit.
    pub factor: f64,
    /// Its name; empty for a plain number.
    pub unit: &'a str,
}

/// What is shown, and how: the SI unit of a value, and the unit that the registry declares for its metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown<'a> {
    /// SI unit, as results have it: `s`, `1`, `1/s`; a share may have `%`, in which it is shown.
    pub unit: &'a str,
    /// A ratio's `%` or `ppm`, a rate's `packets/s`.
    pub declared: Option<&'static str>,
}

/// The multiples of an SI unit that takes prefixes, the largest first; `None` of one that does not.
pub fn ladder(unit: &str) -> Option<&'static [(f64, &'static str)]> {
    match unit {
        "s" => Some(SECONDS),
        "bit/s" => Some(BITS),
        "Hz" => Some(HERTZ),
        _ => None,
    }
}

impl<'a> Shown<'a> {
    /// Values in an SI unit, of no metric in particular.
    pub fn unit(unit: &'a str) -> Shown<'a> {
        Shown { unit, declared: None }
    }

    /// Values of a metric, with or without a member.
    pub fn metric(name: &str, unit: &'a str) -> Shown<'a> {
        Shown { unit, declared: registry::find(name).and_then(|information| information.shown_unit) }
    }

    /// The unit that keeps `largest` (in SI) between 1 and 1000, if possible.
    pub fn scale(self, largest: f64) -> Scale<'a> {
        if let Some(ladder) = ladder(self.unit) {
            return fitting(ladder, largest.abs());
        }
        let shown = if self.unit == "1" { self.declared } else { Some(self.unit) };
        if let Some(&(factor, unit)) = RATIOS.iter().find(|(_, unit)| Some(*unit) == shown) {
            return Scale { factor, unit };
        }
        let unit = match self.unit {
            "1/s" => self.declared.unwrap_or("/s"),
            "1" => "",
            unit => unit,
        };
        Scale { factor: 1.0, unit }
    }

    /// A value with its unit: `15.1 ms`; a dash where it is not known.
    ///
    /// Zero takes the unit of `neighbour`, the value printed next to it: `0 µs` and `12 µs`.
    pub fn value(self, value: Option<f64>, neighbour: f64, digits: usize) -> String {
        let Some(value) = value.filter(|value| value.is_finite()) else { return NONE.to_owned() };
        let scale = self.scale(if value == 0.0 { neighbour } else { value });
        scale.with_unit(significant(value / scale.factor, digits))
    }

    /// A value with its interval, to one or two significant digits of its half-width: `15.1 ± 0.5 ms`.
    ///
    /// An interval that is not symmetric is given by its [`Shown::ends`]. One that is narrower than the digits of the value is left
    /// out: `± 0` would claim certainty.
    pub fn interval(self, value: Option<f64>, interval: Option<(f64, Option<f64>)>) -> String {
        let (Some(value), Some((low, high))) = (value, interval) else {
            return minus(self.value(value, 0.0, DIGITS));
        };
        let Some(high) = high.filter(|&high| is_symmetric(value, low, high)) else {
            return self.ends(value, (low, high.unwrap_or(f64::INFINITY)), 0.0);
        };
        // a difference of 0.9 ± 6.4 ms is one of milliseconds
        let scale = self.scale(value.abs().max((high - low) / 2.0));
        let (value, half) = (value / scale.factor, (high - low) / 2.0 / scale.factor);
        if half <= value.abs() * 1e-4 {
            return scale.with_unit(minus(significant(value, DIGITS)));
        }
        let decimals = decimals(half);
        scale.with_unit(format!("{} ± {half:.decimals$}", minus(format!("{value:.decimals$}"))))
    }

    /// A value with both ends of its interval: `140 (66 to 213) ms`; of a count of zero with its upper end: `0 (at most 3.7)`. A
    /// value that is not a number stays out.
    ///
    /// It is in the unit that suits `like`, if that is not zero, with as many digits as make its ends differ, up to five; ends that
    /// are equal even then are left out.
    pub fn ends(self, value: f64, ends: (f64, f64), like: f64) -> String {
        let finite = [ends.0, ends.1, value]
            .into_iter()
            .filter(|one| one.is_finite())
            .fold(0.0, |most, one| one.abs().max(most));
        let own = if value != 0.0 && value.is_finite() { value } else { finite };
        let scale = self.scale(if like == 0.0 { own } else { like });
        let [low, high, shown] = distinct([ends.0, ends.1, value].map(|one| one / scale.factor));
        if low == high && high == shown {
            return scale.with_unit(shown);
        }
        let span = match (low.is_empty(), high.is_empty()) {
            (false, true) => format!("at least {low}"),
            (false, false) if ends.0 != 0.0 || value != 0.0 => format!("{low} to {high}"),
            _ => format!("at most {high}"),
        };
        scale.with_unit(if value.is_finite() { format!("{shown} ({span})") } else { span })
    }

    /// Two values, in as many digits as make them differ, up to five: `12.31 ms` and `12.30 ms`.
    pub fn apart(self, one: f64, other: f64) -> [String; 2] {
        let pair = |digits| [one, other].map(|value| self.value(Some(value), 0.0, digits));
        (DIGITS..5).map(pair).find(|[one, other]| one != other).unwrap_or_else(|| pair(5))
    }

    /// An interval in the unit of its value, without it: `± 0.2`, `66–213`, `from 66`; empty if it is narrower than the digits of
    /// the value.
    pub fn span(self, value: f64, (low, high): (f64, Option<f64>)) -> String {
        let factor = self.scale(value).factor;
        let low = low / factor;
        let Some(high) = high.map(|high| high / factor) else { return format!("from {}", significant(low, DIGITS)) };
        let (value, half) = (value / factor, (high - low) / 2.0);
        if (low + half - value).abs() > SYMMETRIC * half + 1e-9 * value.abs() {
            return format!("{}–{}", significant(low, DIGITS), significant(high, DIGITS));
        }
        if half > value * 1e-4 { format!("± {half:.*}", decimals(half)) } else { String::new() }
    }
}

impl Scale<'_> {
    fn with_unit(self, number: String) -> String {
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}

fn fitting(ladder: Ladder, size: f64) -> Scale<'static> {
    let found = match size {
        0.0 if ladder[0].1 == "s" => Some(&ladder[1]),
        // 0.9996 s is shown as 1.00 s
        _ => ladder.iter().find(|(factor, _)| size >= factor * 0.9995),
    };
    let &(factor, unit) = found.unwrap_or(&ladder[ladder.len() - 1]);
    Scale { factor, unit }
}

fn is_symmetric(value: f64, low: f64, high: f64) -> bool {
    (low + high - 2.0 * value).abs() <= SYMMETRIC * (high - low) + 1e-9 * value.abs()
}

/// Both ends and the value with as many digits as make the ends differ; an open end is empty.
fn distinct(numbers: [f64; 3]) -> [String; 3] {
    let shown =
        |digits| numbers.map(|one| if one.is_finite() { minus(significant(one, digits)) } else { String::new() });
    (DIGITS..=5).map(shown).find(|[low, high, _]| low != high).unwrap_or_else(|| shown(DIGITS))
}

/// Decimals that show one significant digit of a half-width, or two if the first is small; up to six.
fn decimals(half: f64) -> usize {
    let Scientific { mantissa, exponent } = Scientific::of(half);
    usize::try_from(i32::from(mantissa < 3.95) - exponent).unwrap_or(0).min(6)
}

#[cfg(test)]
mod tests;
