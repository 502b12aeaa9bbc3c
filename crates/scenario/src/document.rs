//! A scenario as written, and the edits of `--set`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::edit;
use crate::grid::{self, Axis, Setting};
use crate::hint;
use crate::keys::{self, Key, NetworkKeys};
use crate::parameter::{self, Parameter};
use crate::path;
use crate::problem::{ARGUMENT, Problem, Problems};
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Node};
use crate::vary::{self, Vary};

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

    fn from_source(source: &Arc<Source>, folder: PathBuf) -> Result<Document, Problems> {
        let entries = tree::parse(source)?;
        let keys = network(&entries, source)?;
        Ok(Document { entries, keys, folder })
    }

    /// The network's word.
    pub fn kind(&self) -> &'static str {
        self.keys.kind
    }

    /// Sets a key as written: `value` is a TOML value or a bare word or quantity (`300 /s`), `argument` the text an
    /// error shows (`--set background.rate=300 /s`).
    pub fn set(&mut self, key_path: &str, value: &str, argument: &str) -> Result<(), Problems> {
        let source = Source::new(ARGUMENT, argument);
        let path_place = place_of(&source, key_path, argument.find(key_path));
        // the value comes last; `rfind` keeps its own place when it repeats the key
        let at = argument.rfind(value);
        let node = match at {
            Some(at) if !value.is_empty() => tree::value(value, &source, at),
            _ => Node { place: path_place.clone(), ..tree::value(value, &Source::new(ARGUMENT, value), 0) },
        };
        edit::set(self, key_path, &path_place, node).map_err(Problems::from)
    }

    /// Sets a key to a value read from another file (a study's `set`).
    pub fn set_node(&mut self, key_path: &str, node: Node) -> Result<(), Problems> {
        let place = node.place.clone();
        self.set_at(key_path, place, node)
    }

    /// The same; a mistake in the path is shown at `key_place`.
    pub fn set_at(&mut self, key_path: &str, key_place: Option<Place>, node: Node) -> Result<(), Problems> {
        edit::set(self, key_path, &key_place, node).map_err(Problems::from)
    }

    /// The declaration of the key a path names.
    pub fn key(&self, key_path: &str) -> Result<&'static Key, Problems> {
        let source = Source::new(ARGUMENT, key_path);
        let place = place_of(&source, key_path, Some(0));
        path::locate(self, key_path, &place).map(|target| target.key).map_err(Problems::from)
    }

    /// One value of a key, as [`Document::set`] takes it and as results show it.
    pub fn setting(&self, key_path: &str, value: &str, argument: &str) -> Result<Setting, Problems> {
        let source = Source::new(ARGUMENT, argument);
        let place = place_of(&source, key_path, argument.find(key_path));
        let target = path::locate(self, key_path, &place).map_err(Problems::from)?;
        grid::setting(self, target.key, value, &source, argument.rfind(value).unwrap_or(0))
    }

    /// The value of a key where the document itself says one; none where it comes from elsewhere.
    pub fn written(&self, key_path: &str) -> Result<Option<Setting>, Problems> {
        let source = Source::new(ARGUMENT, key_path);
        let place = place_of(&source, key_path, Some(0));
        let target = path::locate(self, key_path, &place).map_err(Problems::from)?;
        edit::written(self, &target).map(|node| grid::one(self, target.key, node)).transpose()
    }

    /// Reads `KEY=50:500:50 /s` (both ends included) or `KEY=a,b`, alone or after an option's name.
    pub fn axis(&self, argument: &str) -> Result<Axis, Problems> {
        grid::axis(self, argument)
    }

    /// An axis of a study's `over`: a list of values, or the text of one (`50:500:50 /s`); mistakes in the path are
    /// shown at `key_place`, in values where they stand.
    pub fn axis_node(&self, key_path: &str, key_place: Option<Place>, node: &Node) -> Result<Axis, Problems> {
        grid::axis_node(self, key_path, &key_place, node)
    }

    /// The number a path names: its unit, its range and what it is now. The document must be right as a whole.
    pub fn parameter(&self, key_path: &str) -> Result<Parameter, Problems> {
        parameter::parameter(self, key_path)
    }

    /// Reads `KEY=LO:HI UNIT`, alone or after an option's name.
    pub fn vary(&self, argument: &str) -> Result<Vary, Problems> {
        vary::vary(self, argument)
    }
}

pub(crate) fn place_of(source: &Arc<Source>, text: &str, at: Option<usize>) -> Option<Place> {
    let at = at.unwrap_or(0);
    Some(Place::new(source, at..at + text.len()))
}

/// Which network's keys a scenario is read against.
fn network(entries: &Entries, source: &Arc<Source>) -> Result<&'static NetworkKeys, Problems> {
    let kinds = || keys::kinds().iter().map(|network| network.kind);
    let list = kinds().collect::<Vec<_>>().join(", ");
    let Some(entry) = entries.find("network") else {
        let top = entries.0.iter().find(|entry| hint::nearest(&entry.key, ["network"]).is_some());
        let problem = match top {
            Some(entry) => Problem::at(entry.key_place.clone(), format!("a scenario has no table `{}`", entry.key))
                .help("did you mean `network`?"),
            None => Problem::at(Some(Place::new(source, 0..0)), "the scenario does not say which network it is")
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
    keys::find(word).ok_or_else(|| {
        let problem = Problem::at(kind.place.clone(), format!("there is no network {}", kind.to_toml()));
        problem.maybe_help(hint::suggestion(word, kinds())).into()
    })
}
