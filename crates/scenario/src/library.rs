//! Finds studies, references, profiles, examples and installations from any working directory.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static ROOT: OnceLock<PathBuf> = OnceLock::new();

/// Sets the root of the data; the first call counts. The Python package calls it when it is imported.
pub fn set_root(root: impl Into<PathBuf>) {
    // a second caller finds the same package
    let _ = ROOT.set(root.into());
}

/// The folder that holds `studies`, `reference`, `profiles`, `examples` and `installations`: the environment's `SOJOURN_DATA`, else
/// what [`set_root`] set, else the repository this was built in.
pub fn root() -> PathBuf {
    if let Some(root) = std::env::var_os("SOJOURN_DATA").filter(|root| !root.is_empty()) {
        return PathBuf::from(root);
    }
    if let Some(root) = ROOT.get() {
        return root.clone();
    }
    let built_in = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    // without the dots where the folder is still there: errors show it
    built_in.canonicalize().unwrap_or(built_in)
}

/// The folder of `studies`, `reference`, `profiles`, `examples` or `installations`, without links: errors and reports show it.
pub fn folder(kind: &str) -> PathBuf {
    let folder = root().join(kind);
    folder.canonicalize().unwrap_or(folder)
}

/// A file or folder of the library, if it is there: `find("studies", "lontalk-response-time")`.
pub fn find(kind: &str, name: &str) -> Option<PathBuf> {
    let path = folder(kind).join(name);
    (!name.is_empty() && path.exists()).then_some(path)
}

/// The names in a folder of the library, sorted, without `.toml`.
pub fn names(kind: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder(kind)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.iter_mut().for_each(|name| *name = stem(name).to_owned());
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

fn stem(name: &str) -> &str {
    Path::new(name).extension().filter(|ext| *ext == "toml").map_or(name, |_| &name[..name.len() - 5])
}
