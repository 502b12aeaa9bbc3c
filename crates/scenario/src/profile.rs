//! Profiles: parameter sets with their sources, in `profiles/<network>/<name>.toml` or anywhere.
//!
//! ```toml
//! title = "Neuron at 10 MHz"
//! network = "lontalk"
//! source = "LonTalk response-time bulletin (Echelon, March 1992)"
//! [[value]]
//! key = "station.costs.form_packet"
//! value = "1.781 ms"
//! source = "figure 2"
//! fitted_to = "326 one-byte updates a second"
//! [[residual]]
//! quantity = "one-byte updates a second"
//! published = "326 /s"
//! model = "326.0 /s"
//! ```
//!
//! `[uncertainty]` and `[[left_out]]` say how well a fit determined the values; no simulation reads them, `run --band` does.
//!
//! A profile named in `[network]` applies to all tables, one named in a medium or station to that table alone; both
//! rank above defaults and below what the scenario writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::Document;
use crate::expand::{Draft, Drafts};
use crate::hint;
use crate::keys::{KIND, Key};
use crate::library;
use crate::problem::{Problem, Problems};
use crate::source::Source;
use crate::tree::{self, Entries, Entry, Node, Value};
use crate::value;

const TOP: [&str; 9] =
    ["title", "network", "source", "fitted_to", "note", "value", "residual", "uncertainty", "left_out"];
const VALUE: [&str; 7] = ["key", "value", "unit", "source", "fitted_to", "residual", "note"];

/// A value of a profile: `station`, `costs.form_packet`, and the value.
struct Parameter {
    table: String,
    path: Vec<String>,
    entry: Entry,
}

/// Reads each profile once.
pub(crate) struct Profiles<'a> {
    document: &'a Document,
    read: BTreeMap<String, Vec<Parameter>>,
}

impl<'a> Profiles<'a> {
    pub fn new(document: &'a Document) -> Profiles<'a> {
        Profiles { document, read: BTreeMap::new() }
    }

    /// Adds the values of all profiles named in the tables.
    pub fn apply(&mut self, drafts: &mut Drafts, problems: &mut Problems) {
        let network = drafts.one.get("network").and_then(|draft| draft.entries.get("profile")).cloned();
        for (name, draft) in &mut drafts.one {
            self.complete(name, draft, network.as_ref(), problems);
        }
        for (name, list) in &mut drafts.many {
            for draft in list {
                self.complete(name, draft, network.as_ref(), problems);
            }
        }
    }

    /// Adds the values of the table's own profile and of the network's.
    pub fn complete(&mut self, table: &str, draft: &mut Draft, network: Option<&Node>, problems: &mut Problems) {
        let own = draft.entries.get("profile").cloned();
        for (node, is_own) in [(own.as_ref(), true), (network, false)] {
            let Some(node) = node else { continue };
            let Some(parameters) = self.parameters(node, problems) else { continue };
            let mut used = false;
            for parameter in parameters.iter().filter(|parameter| parameter.table == table) {
                if !is_of_another_kind(&draft.entries, parameters, parameter) {
                    insert(&mut draft.entries, &parameter.path, &parameter.entry);
                }
                used = true;
            }
            if is_own && !used && table != "network" {
                let message = format!("this profile has no values for a {table}");
                problems.push(Problem::at(node.place.clone(), message).help(format!("its keys begin with `{table}.`")));
            }
        }
    }

    fn parameters(&mut self, node: &Node, problems: &mut Problems) -> Option<&[Parameter]> {
        // anything but a text is refused where the key is read
        let name = node.as_text()?;
        if !self.read.contains_key(name) {
            let source = self.source(name, node, problems)?;
            let parameters = self.load(source, node, problems);
            self.read.insert(name.to_owned(), parameters);
        }
        self.read.get(name).map(Vec::as_slice)
    }

    fn source(&self, name: &str, node: &Node, problems: &mut Problems) -> Option<Result<Arc<Source>, Problems>> {
        if name.contains('/') || name.ends_with(".toml") {
            return Some(self.document.folder.load(name));
        }
        let kind = self.document.keys.kind;
        if let Some(found) = self.document.folder.profile(kind, name) {
            return Some(found);
        }
        let names = library::names(&format!("profiles/{kind}"));
        let help = hint::suggestion(name, names.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| "write the path of a TOML file, with a slash or .toml in it".to_owned());
        problems.push(Problem::at(node.place.clone(), format!("there is no profile `{name}`")).help(help));
        None
    }

    fn load(&self, source: Result<Arc<Source>, Problems>, node: &Node, problems: &mut Problems) -> Vec<Parameter> {
        let read = source.map_err(|found| Problems::from(value::moved(found, node)));
        let entries = read.and_then(|source| tree::parse(&source.as_profile()));
        match entries {
            Ok(entries) => self.values(&entries, problems),
            Err(found) => {
                problems.0.extend(found.0);
                Vec::new()
            }
        }
    }

    fn values(&self, entries: &Entries, problems: &mut Problems) -> Vec<Parameter> {
        known(entries, &TOP, "a profile", problems);
        if let Some(network) = entries.get("network").filter(|node| node.as_text() != Some(self.document.keys.kind)) {
            let message =
                format!("this profile is for {}, the scenario is {}", network.to_toml(), self.document.keys.kind);
            problems.push(Problem::at(network.place.clone(), message));
        }
        let list = entries.get("value").and_then(Node::as_list).unwrap_or_default();
        list.iter().filter_map(|node| self.parameter(node, problems)).collect()
    }

    fn parameter(&self, node: &Node, problems: &mut Problems) -> Option<Parameter> {
        let entries = node.as_table()?;
        known(entries, &VALUE, "[[value]]", problems);
        let (Some(key), Some(value)) = (entries.get("key"), entries.get("value")) else {
            problems.push(Problem::at(node.place.clone(), "[[value]] needs `key` and `value`"));
            return None;
        };
        let path = key.as_text().unwrap_or_default();
        let mut steps: Vec<String> = path.split('.').map(str::to_owned).collect();
        let table = self.full_form(&steps.remove(0));
        if !self.declares(&table, &steps) {
            let problem =
                Problem::at(key.place.clone(), format!("a {} scenario has no key `{path}`", self.document.keys.kind));
            problems.push(problem.help("write TABLE.KEY, such as station.costs.discard"));
            return None;
        }
        let last = steps.last()?.clone();
        let entry = Entry { key: last, key_place: key.place.clone(), node: value.clone() };
        Some(Parameter { table, path: steps, entry })
    }

    /// `channel` applies to the medium it makes.
    fn full_form(&self, table: &str) -> String {
        if self.document.keys.uniform_medium == Some(table) { "medium".to_owned() } else { table.to_owned() }
    }

    fn declares(&self, table: &str, steps: &[String]) -> bool {
        let Some((table, (first, rest))) = self.document.keys.table(table).zip(steps.split_first()) else {
            return false;
        };
        let step = |key: &'static Key, name: &String| key.inner().into_iter().find(|inner| inner.name == *name);
        let named = table.find(first).and_then(|key| rest.iter().try_fold(key, step));
        named.is_some_and(|key| key.inner().is_empty())
    }
}

fn known(entries: &Entries, names: &[&str], whose: &str, problems: &mut Problems) {
    for entry in entries.0.iter().filter(|entry| !names.contains(&entry.key.as_str())) {
        let problem = Problem::at(entry.key_place.clone(), format!("{whose} has no key `{}`", entry.key));
        problems.push(problem.maybe_help(hint::suggestion(&entry.key, names.iter().copied())));
    }
}

/// Whether a parameter belongs to an inline table that the profile has of one kind and the scenario writes of another.
fn is_of_another_kind(entries: &Entries, parameters: &[Parameter], parameter: &Parameter) -> bool {
    let [first, _] = parameter.path.as_slice() else { return false };
    let kind = |other: &&Parameter| other.table == parameter.table && other.path == [first.as_str(), KIND.name];
    let of_profile = parameters.iter().find(kind).and_then(|kind| kind.entry.node.as_text());
    let written = entries.get(first).and_then(Node::as_table).and_then(|table| table.get(KIND.name)?.as_text());
    written.zip(of_profile).is_some_and(|(written, of_profile)| written != of_profile)
}

/// Sets a value deep in a table unless something is written there.
fn insert(entries: &mut Entries, path: &[String], entry: &Entry) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        if entries.get(first).is_none() {
            entries.0.push(entry.clone());
        }
        return;
    }
    if entries.get(first).is_none() {
        let node = Node { value: Value::Table(Entries::default()), place: entry.node.place.clone() };
        entries.set(first, entry.key_place.clone(), node);
    }
    if let Some(Node { value: Value::Table(inner), .. }) = entries.get_mut(first) {
        insert(inner, rest, entry);
    }
}
