//! One value of a key, as text and as results show it.

/// A value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// As [`crate::Document::set`] takes it: `300 /s`.
    pub text: String,
    /// As results show it: SI units or the word.
    pub json: serde_json::Value,
}
