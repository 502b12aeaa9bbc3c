//! A search range: `--vary KEY=LO:HI UNIT`.

use crate::document::Document;
use crate::grid::{dimension, item, numbers, split};
use crate::keys::Kind;
use crate::path;
use crate::problem::{Problem, Problems};
use crate::quantity::{Decimal, Dimension};

/// A key and the range to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// Path of the key, as `background.rate`.
    pub path: String,
    /// The lower end, in the unit as written.
    pub low: f64,
    /// The upper end, in the same unit.
    pub high: f64,
    /// The unit as written; empty for numbers.
    pub unit: String,
    /// Whether only whole numbers make sense.
    pub whole: bool,
    /// SI unit of the key in results.
    pub si: &'static str,
    /// SI value of one unit as written.
    pub scale: f64,
    ends: [Decimal; 2],
}

impl Vary {
    /// The value `at`, in the unit as written, as [`crate::Document::set`] takes it.
    pub fn text(&self, at: f64) -> String {
        format!("{at} {}", self.unit).trim_end().to_owned()
    }

    /// The value `index` of `parts` steps from the low end to the high one, as [`crate::Document::set`] takes it:
    /// a decimal, exact where the parts are tenths.
    pub fn at(&self, index: u64, parts: u64) -> String {
        let value = Decimal::part(self.ends[0], self.ends[1], index, parts);
        format!("{value} {}", self.unit).trim_end().to_owned()
    }

    /// How many whole numbers the range has beyond its low end, where only whole numbers make sense.
    pub fn steps_whole(&self) -> Option<u64> {
        self.whole.then_some((self.high - self.low) as u64)
    }

    /// A value in SI units as written, in four digits.
    pub fn text_of(&self, si: f64) -> String {
        let rounded = format!("{:.3e}", si / self.scale).parse().expect("a number that was just written");
        self.text(rounded)
    }

    /// The value `at` in SI units.
    pub fn si_value(&self, at: f64) -> f64 {
        at * self.scale
    }
}

pub(crate) fn vary(document: &Document, argument: &str) -> Result<Vary, Problems> {
    let argument = split(argument)?;
    let key = path::locate(document, argument.path, &argument.path_place).map_err(Problems::from)?.key();
    let Some(dimension) = dimension(key).filter(|_| !matches!(key.kind, Kind::Code(_))) else {
        let problem =
            Problem::at(argument.path_place.clone(), format!("`{}` has no range to search in", argument.path));
        return Err(problem
            .help("choose a key that is a quantity or a number; `sweep --over` takes words and codes")
            .into());
    };
    let parts: Vec<&str> = argument.values.split(':').collect();
    let [low, high] = parts.as_slice() else {
        let problem = argument.problem(argument.values, "a range is LO:HI, with a unit at the end");
        return Err(problem.help("such as 10:400 /s").into());
    };
    let (decimals, unit) = numbers(&argument, key, &[low, high])?;
    let mut problems = Problems::new();
    for (part, decimal) in [low, high].iter().zip(&decimals) {
        let at = part.as_ptr() as usize - argument.values.as_ptr() as usize + argument.at;
        let text = format!("{decimal} {unit}");
        if let Err(found) = item(document, key, text.trim_end(), &argument, at..at + part.len()) {
            problems.0.extend(found.0);
        }
    }
    if decimals[0]
        .with_unit("", Dimension::None)
        .ok()
        .zip(decimals[1].with_unit("", Dimension::None).ok())
        .is_some_and(|(low, high)| low.compare(high).is_gt())
    {
        let problem = argument.problem(argument.values, "this range is reversed: its first end is above its second");
        let text = format!("{}:{} {unit}", decimals[1], decimals[0]);
        return Err(problem.help(format!("write the lower end first: {}", text.trim_end())).into());
    }
    let in_unit = |decimal: &Decimal| decimal.with_unit("", Dimension::None).map_or(f64::NAN, |value| value.number());
    // what has a size has whole bytes
    let is_whole = |decimal: &Decimal| in_unit(decimal).fract() == 0.0;
    let in_bytes = dimension == Dimension::Size && unit == "B" && decimals.iter().all(is_whole);
    let scale =
        Decimal::split("1").and_then(|(one, _)| one.with_unit(&unit, dimension)).map_or(1.0, |value| value.number());
    problems.or(Vary {
        path: argument.path.to_owned(),
        low: in_unit(&decimals[0]),
        high: in_unit(&decimals[1]),
        unit,
        whole: key.is_integer() || in_bytes,
        si: dimension.si(),
        scale,
        ends: [decimals[0], decimals[1]],
    })
}
