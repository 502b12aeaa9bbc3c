//! `[[option]]` in full form: a change of a scenario that `sojourn advise` compares.

use crate::setting::Setting;
use crate::source::Place;

/// A change of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignOption {
    /// Its name.
    pub name: String,
    /// The keys that it sets, by their paths.
    pub set: Vec<(String, Setting)>,
    /// What it costs.
    pub cost: Option<f64>,
    /// The options that it needs.
    pub with: Vec<String>,
    /// The options that it excludes.
    pub not_with: Vec<String>,
    /// Where it was written.
    pub place: Option<Place>,
}
