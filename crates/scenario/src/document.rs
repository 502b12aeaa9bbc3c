//! A scenario as written.

use std::path::{Path, PathBuf};

use crate::keys::{Key, NetworkKeys};
use crate::problem::{Problem, Problems};
use crate::source::Source;
use crate::tree::{self, Entries, Node};

/// A scenario as written, with the edits of `--set`.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) entries: Entries,
    pub(crate) keys: &'static NetworkKeys,
    /// Paths in it are relative to this.
    pub(crate) folder: PathBuf,
}

impl Document {
    /// Reads a scenario file.
    pub fn read(path: &Path) -> Result<Document, Problems> {
        let source = tree::load(path)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self::from_source(&source, folder)
    }

    /// Reads a text; paths in it are relative to the working directory.
    pub fn parse(name: &str, text: &str) -> Result<Document, Problems> {
        Self::from_source(&Source::new(name, text), PathBuf::new())
    }

    fn from_source(source: &std::sync::Arc<Source>, folder: PathBuf) -> Result<Document, Problems> {
        let entries = tree::parse(source)?;
        let keys = crate::keys::find("lontalk").ok_or_else(|| Problem::plain("no network"))?;
        Ok(Document { entries, keys, folder })
    }

    /// The network's word.
    pub fn kind(&self) -> &'static str {
        self.keys.kind
    }

    /// Sets a key: `value` is a TOML value or a bare word or quantity; `argument` is what an error shows.
    pub fn set(&mut self, key_path: &str, value: &str, argument: &str) -> Result<(), Problems> {
        let _ = (key_path, value, argument);
        Ok(())
    }

    /// Sets a key to a value read from another file (a study's `set`).
    pub fn set_node(&mut self, key_path: &str, node: Node) -> Result<(), Problems> {
        let _ = (key_path, node);
        Ok(())
    }

    /// The declaration of the key a path names.
    pub fn key(&self, key_path: &str) -> Result<&'static Key, Problems> {
        Err(Problem::plain(format!("no key {key_path}")).into())
    }

    /// Reads `KEY=50:500:50 /s` or `KEY=a,b`.
    pub fn axis(&self, argument: &str) -> Result<crate::Axis, Problems> {
        Err(Problem::plain(format!("no axis {argument}")).into())
    }

    /// Reads `KEY=LO:HI UNIT`.
    pub fn vary(&self, argument: &str) -> Result<crate::Vary, Problems> {
        Err(Problem::plain(format!("no range {argument}")).into())
    }

    /// One value of a key, as `set` takes it and as results show it.
    pub fn setting(&self, key_path: &str, value: &str, argument: &str) -> Result<crate::Setting, Problems> {
        let _ = (key_path, value, argument);
        Err(Problem::plain("no value").into())
    }
}
