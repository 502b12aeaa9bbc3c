//! Files that a scenario names: relative to it on disk, or supplied with its text where there is no disk.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::library;
use crate::problem::{Problem, Problems};
use crate::source::Source;
use crate::tree;

/// Where a scenario's files are, and which of them were read.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// Names in the scenario are relative to this.
    path: PathBuf,
    /// The texts by name, in place of a disk.
    given: Option<Arc<BTreeMap<String, String>>>,
    /// Shared by the copies of a document.
    read: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Folder {
    /// A folder on the disk.
    pub(crate) fn on_disk(path: PathBuf) -> Folder {
        Folder { path, ..Folder::default() }
    }

    /// Texts by the names that the scenario uses; profiles of the library as `profiles/KIND/NAME.toml`.
    pub(crate) fn given(files: BTreeMap<String, String>) -> Folder {
        Folder { given: Some(Arc::new(files)), ..Folder::default() }
    }

    /// The files read so far, with their texts: all that [`Folder::given`] needs to read the scenario again.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        self.noted().clone()
    }

    /// The text of a file that the scenario names.
    pub(crate) fn load(&self, name: &str) -> Result<Arc<Source>, Problems> {
        let source = match &self.given {
            Some(files) => {
                let text = files.get(name).ok_or_else(|| Problem::plain(format!("{name} was not given")));
                Source::new(name, text?)
            }
            None => tree::load(&self.path.join(name))?,
        };
        Ok(self.note(name.to_owned(), source))
    }

    /// A profile of the library; `None` where it has none of that name.
    pub(crate) fn profile(&self, kind: &str, name: &str) -> Option<Result<Arc<Source>, Problems>> {
        let (folder, file) = (format!("profiles/{kind}"), format!("{name}.toml"));
        let place = format!("{folder}/{file}");
        let found = match &self.given {
            Some(files) => Ok(Source::new(place.as_str(), files.get(&place)?)),
            None => tree::load(&library::find(&folder, &file)?),
        };
        Some(found.map(|source| self.note(place, source)))
    }

    /// The path of a file, which does not depend on the working directory.
    pub(crate) fn absolute(&self, name: &str) -> String {
        let path = self.path.join(name);
        let absolute = if self.given.is_some() { path } else { std::path::absolute(&path).unwrap_or(path) };
        absolute.display().to_string()
    }

    fn note(&self, name: String, source: Arc<Source>) -> Arc<Source> {
        self.noted().insert(name, source.text.clone());
        source
    }

    fn noted(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.read.lock().expect("no thread panics while it notes a file")
    }
}
