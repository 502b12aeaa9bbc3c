//! What the tests of this crate share.

use std::path::PathBuf;

/// An empty folder of this name under the build's folder for temporary files.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sojourn-lab-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}
