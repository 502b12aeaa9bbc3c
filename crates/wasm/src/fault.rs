//! The answer to a call that cannot be answered.

use serde_json::{Value, json};

/// A mistake of the caller, not of a document.
pub fn fault(message: &str) -> Value {
    json!({ "fault": message })
}
