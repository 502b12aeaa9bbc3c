//! The range of the key that varies, in steps.

use sojourn_scenario::{Axis, Document, Problem, Problems, Setting, Vary};

/// A range without whole steps of its own is searched in this many.
const STEPS: u64 = 500;

/// A key of a document and its values, from step 0 to the last.
pub struct Range {
    /// The key's row in the results' axes.
    pub axis: Axis,
    /// Number of the upper end.
    pub last: u64,
    vary: Vary,
    document: Document,
}

impl Range {
    /// Reads `KEY=LOW:HIGH UNIT`.
    pub fn read(document: &Document, argument: &str) -> Result<Range, Problems> {
        let vary = document.vary(argument)?;
        let last = vary.steps_whole().unwrap_or(STEPS);
        if last == 0 {
            return Err(Problem::argument(argument, 0..argument.len(), "this range holds one value").into());
        }
        let axis = Axis { path: vary.path.clone(), unit: Some(vary.si), values: Vec::new() };
        Ok(Range { axis, last, vary, document: document.clone() })
    }

    /// The value at a step.
    pub fn setting(&self, step: u64) -> Result<Setting, Problems> {
        let text = self.text(step);
        self.document.setting(&self.axis.path, &text, &format!("{}={text}", self.axis.path))
    }

    /// The value at a step in SI units.
    pub fn si(&self, step: u64) -> Option<f64> {
        self.setting(step).ok()?.json.as_f64()
    }

    /// The value at a step, with its unit.
    pub fn text(&self, step: u64) -> String {
        self.vary.at(step, self.last)
    }

    /// A value in SI units in the unit of the range, rounded.
    pub fn text_of(&self, si: f64) -> String {
        self.vary.text_of(si)
    }

    /// Whether its values are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.vary.steps_whole().is_some()
    }

    /// The step at which a value lies; `None` where it lies between two.
    pub fn step_of(&self, setting: &Setting) -> Option<u64> {
        let (value, low, high) = (setting.json.as_f64()?, self.si(0)?, self.si(self.last)?);
        let step = (value - low) / (high - low) * self.last as f64;
        let nearest = step.round();
        ((step - nearest).abs() < 1e-6 && (0.0..=self.last as f64).contains(&nearest)).then_some(nearest as u64)
    }
}
