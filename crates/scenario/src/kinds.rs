//! The registry of network kinds that a document may have. The caller that reads documents supplies it: no network is
//! declared here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::document::Document;
use crate::folder::Folder;
use crate::keys::label::{KeyLabel, label};
use crate::keys::{Measurement, NetworkKeys};
use crate::problem::{Problem, Problems};
use crate::source::{Place, Source};
use crate::tree::{self, Entries};
use crate::{hint, schema, template};

/// What networks declare, in the order in which documentation lists them.
#[derive(Clone, Debug)]
pub struct Kinds(Vec<&'static NetworkKeys>);

impl Kinds {
    /// Of these networks.
    pub fn new(networks: impl IntoIterator<Item = &'static NetworkKeys>) -> Kinds {
        Kinds(networks.into_iter().collect())
    }

    /// The keys of every network.
    pub fn all(&self) -> impl Iterator<Item = &'static NetworkKeys> + Clone + '_ {
        self.0.iter().copied()
    }

    /// A network's keys by the word of `kind = "..."`.
    pub fn find(&self, kind: &str) -> Option<&'static NetworkKeys> {
        self.all().find(|network| network.kind == kind)
    }

    /// Suggests what a word that is neither a kind nor one of `others` may have meant.
    pub fn suggestion<'a>(&'a self, word: &str, others: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let lower = word.to_lowercase();
        let meant = self.all().find(|network| network.also_called.contains(&lower.as_str()));
        let known: Vec<&str> = self.all().map(|network| network.kind).chain(others).collect();
        meant.map_or_else(|| hint::suggestion(word, known), |network| Some(format!("did you mean `{}`?", network.kind)))
    }

    /// Measurements of real networks that `sojourn new` shows, each with the network whose keys it has.
    pub fn measurements(&self) -> impl Iterator<Item = (&'static Measurement, &'static NetworkKeys)> + Clone + '_ {
        self.all().flat_map(|network| network.measurements.iter().map(move |measurement| (measurement, network)))
    }

    /// Reads a scenario file.
    pub fn read(&self, path: &Path) -> Result<Document, Problems> {
        let source = tree::load(path)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        self.document(&source, Folder::on_disk(folder))
    }

    /// Reads a text; paths in it are relative to the working directory.
    pub fn parse(&self, name: &str, text: &str) -> Result<Document, Problems> {
        self.document(&Source::new(name, text), Folder::default())
    }

    /// Reads a text and, in place of the disk, the files that it names: [`Document::files`] of another document.
    pub fn parse_with(&self, name: &str, text: &str, files: BTreeMap<String, String>) -> Result<Document, Problems> {
        self.document(&Source::new(name, text), Folder::given(files))
    }

    /// A commented scenario of a network, or a measurement of a real one (`ip-measurement`); none where there is no such
    /// network.
    pub fn template(&self, name: &str) -> Option<String> {
        let (network, lines) = self.shown(name)?;
        Some(template::commented(network, lines))
    }

    /// The JSON schema of one network's scenarios, of a measurement by the name of its template, or of all; none of what
    /// does not exist.
    pub fn schema(&self, name: Option<&str>) -> Option<serde_json::Value> {
        match name {
            Some(name) => Some(schema::of_network(self.shown(name)?.0)),
            None => Some(schema::of_any(self.all())),
        }
    }

    /// The label of the key that `path` names in scenarios of `kind`: `TABLE.KEY`, `TABLE.MEMBER.KEY`, or either with a
    /// key of an inline table behind it.
    pub fn label(&self, kind: &str, path: &str) -> Option<KeyLabel> {
        label(self.find(kind)?, path)
    }

    fn document(&self, source: &Arc<Source>, folder: Folder) -> Result<Document, Problems> {
        let entries = tree::parse(source)?;
        let keys = network(self, &entries, source)?;
        Ok(Document { entries, keys, folder })
    }

    /// What `sojourn new NAME` shows, before its keys are explained.
    fn shown(&self, name: &str) -> Option<(&'static NetworkKeys, &'static str)> {
        let measured = self.measurements().find(|(measurement, _)| measurement.name == name);
        let measured = measured.map(|(measurement, network)| (network, measurement.template));
        measured.or_else(|| self.find(name).map(|network| (network, network.template)))
    }
}

/// Which network's keys a scenario is read against.
fn network(known: &Kinds, entries: &Entries, source: &Arc<Source>) -> Result<&'static NetworkKeys, Problems> {
    let kinds = || known.all().map(|network| network.kind);
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
    known.find(word).ok_or_else(|| {
        let problem = Problem::at(kind.place.clone(), format!("there is no network {}", kind.to_toml()));
        problem.maybe_help(known.suggestion(word, [])).into()
    })
}
