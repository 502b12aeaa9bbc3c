//! The scenario document as written: plain data that every later step takes. `session.rs` edits it.

use std::collections::BTreeMap;

use crate::folder::Folder;
use crate::keys::NetworkKeys;
use crate::keys::live::measure::TABLE as MEASURE;
use crate::keys::live::mesh::AGENTS;
use crate::keys::live::monitor::TARGETS;
use crate::tree::Entries;

/// A scenario as written, with the edits of `--set`.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) entries: Entries,
    pub(crate) keys: &'static NetworkKeys,
    /// The files that it names.
    pub(crate) folder: Folder,
}

impl Document {
    /// The files that were read when it was checked, by the names that it uses, with their texts.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.folder.files()
    }

    /// Whether it describes a measurement and no network: it has a `[measure]`, a `[[target]]` or an `[[agent]]` and no stations to
    /// simulate.
    pub fn is_measurement(&self) -> bool {
        let measures = [MEASURE, TARGETS, AGENTS]
            .iter()
            .any(|name| self.keys.table(name).is_some() && self.entries.get(name).is_some());
        measures && ["station", "stations"].iter().all(|name| self.entries.get(name).is_none())
    }

    /// The word of `kind = "..."`.
    pub fn kind(&self) -> &'static str {
        self.keys.kind
    }
}
