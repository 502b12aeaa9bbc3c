//! A scenario as written: plain data that every later step takes. `session.rs` edits it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::folder::Folder;
use crate::hint;
use crate::keys::live::measure::TABLE as MEASURE;
use crate::keys::live::monitor::TARGETS;
use crate::keys::{NetworkKeys, registry};
use crate::problem::{Problem, Problems};
use crate::source::{Place, Source};
use crate::tree::{self, Entries};

/// A scenario as written, with the edits of `--set`.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) entries: Entries,
    pub(crate) keys: &'static NetworkKeys,
    /// The files that it names.
    pub(crate) folder: Folder,
}

impl Document {
    /// Reads a scenario file.
    pub fn read(path: &Path) -> Result<Document, Problems> {
        let source = tree::load(path)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self::from_source(&source, Folder::on_disk(folder))
    }

    /// Reads a text; paths in it are relative to the working directory.
    pub fn parse(name: &str, text: &str) -> Result<Document, Problems> {
        Self::from_source(&Source::new(name, text), Folder::default())
    }

    /// Reads a text and, in place of the disk, the files that it names: [`Document::files`] of another document.
    pub fn parse_with(name: &str, text: &str, files: BTreeMap<String, String>) -> Result<Document, Problems> {
        Self::from_source(&Source::new(name, text), Folder::given(files))
    }

    /// The files that were read when it was checked, by the names that it uses, with their texts.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.folder.files()
    }

    fn from_source(source: &Arc<Source>, folder: Folder) -> Result<Document, Problems> {
        let entries = tree::parse(source)?;
        let keys = network(&entries, source)?;
        Ok(Document { entries, keys, folder })
    }

    /// Whether it describes a measurement and no network: it has a `[measure]` or a `[[target]]` and no stations to simulate.
    pub fn is_measurement(&self) -> bool {
        let measures =
            [MEASURE, TARGETS].iter().any(|name| self.keys.table(name).is_some() && self.entries.get(name).is_some());
        measures && ["station", "stations"].iter().all(|name| self.entries.get(name).is_none())
    }

    /// The word of `kind = "..."`.
    pub fn kind(&self) -> &'static str {
        self.keys.kind
    }
}

/// Which network's keys a scenario is read against.
fn network(entries: &Entries, source: &Arc<Source>) -> Result<&'static NetworkKeys, Problems> {
    let kinds = || registry::kinds().map(|network| network.kind);
    let list = kinds().collect::<Vec<_>>().join(", ");
    let Some(entry) = entries.find("network") else {
        let top = entries.0.iter().find(|entry| hint::nearest(&entry.key, ["network"]).is_some());
        let problem = match top {
            Some(entry) => Problem::at(entry.key_place.clone(), format!("a scenario has no table `{}`", entry.key))
                .help("did you mean `network`?"),
            None => Problem::at(Some(Place::new(source, 0..0)), "the scenario names no kind of network")
                .help(format!("write [network] and kind = \"...\"; kinds: {list}")),
        };
        return Err(problem.into());
    };
    let Some(kind) = entry.node.as_table().and_then(|table| table.get("kind")) else {
        let misspelt = entry
            .node
            .as_table()
            .and_then(|table| table.0.iter().find(|entry| hint::nearest(&entry.key, ["kind"]).is_some()));
        let problem = match misspelt {
            Some(entry) => Problem::at(entry.key_place.clone(), format!("[network] has no key `{}`", entry.key))
                .help("did you mean `kind`?"),
            None => Problem::at(entry.key_place.clone(), "[network] needs `kind`").help(format!("kinds: {list}")),
        };
        return Err(problem.into());
    };
    let word = kind.as_text().unwrap_or_default();
    registry::find(word).ok_or_else(|| {
        let problem = Problem::at(kind.place.clone(), format!("there is no network {}", kind.to_toml()));
        problem.maybe_help(hint::suggestion(word, kinds())).into()
    })
}
