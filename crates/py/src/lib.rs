//! The bindings: what Python calls. No logic and no callback; a whole job runs between two calls.

use pyo3::prelude::*;

/// The extension module `sojourn._sojourn`.
#[pymodule]
mod _sojourn {
    use super::*;

    /// Version and the commit the build was made from, as `0.1.0 (abc1234-dirty)`.
    #[pyfunction]
    fn version() -> String {
        format!("{} ({})", env!("CARGO_PKG_VERSION"), env!("SOJOURN_COMMIT"))
    }
}
