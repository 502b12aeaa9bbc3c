//! Who serves in the flows of a capture.

use serde::{Deserialize, Serialize};

/// The server of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// The flow as a member of metrics' names.
    pub flow: String,
    /// Who answers.
    pub server: String,
    /// What shows it, in words.
    pub by: String,
}
