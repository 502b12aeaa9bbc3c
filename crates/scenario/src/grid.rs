//! Values along an axis: `--over KEY=50:500:50 /s`, `--over KEY=a,b`, `--vary KEY=LO:HI UNIT`.

/// A value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// As [`crate::Document::set`] takes it: `300 /s`.
    pub text: String,
    /// As results show it: SI units or the word.
    pub json: serde_json::Value,
}

/// A key and the values it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The key's path.
    pub path: String,
    /// The SI unit; none for words.
    pub unit: Option<&'static str>,
    /// At least one.
    pub values: Vec<Setting>,
}

/// A key and the range to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// The key's path.
    pub path: String,
    /// One end, in the unit as written.
    pub low: f64,
    /// The other end.
    pub high: f64,
    /// The unit as written; empty for numbers.
    pub unit: String,
    /// Whether only whole numbers make sense.
    pub whole: bool,
    /// The SI unit.
    pub si: &'static str,
    /// SI value of one unit as written.
    pub scale: f64,
}

impl Vary {
    /// The value `at` as [`crate::Document::set`] takes it.
    pub fn text(&self, at: f64) -> String {
        format!("{at} {}", self.unit).trim_end().to_owned()
    }

    /// The value `at` in SI units.
    pub fn si_value(&self, at: f64) -> f64 {
        at * self.scale
    }
}
