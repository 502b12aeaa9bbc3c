//! Edits of a document: applies `--set`, and returns the previous value of a key.

use crate::document::Document;
use crate::expand::{self, MEMBER};
use crate::keys::{Key, Preset, Shape};
use crate::path::{Target, locate};
use crate::problem::Problem;
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Node, Value};

/// Sets a key in the document as written.
pub(crate) fn set(document: &mut Document, path: &str, place: &Option<Place>, node: Node) -> Result<(), Problem> {
    if path == "title" {
        document.entries.set(path, place.clone(), node);
        return Ok(());
    }
    let target = locate(document, path, place)?;
    let uniform = document.keys.uniform_medium;
    let creates = target.table.shape == Shape::One || uniform == Some(target.table.name);
    let made_stations = target.table.name == "station" && expand::makes_stations(document);
    if document.entries.get(target.table.name).is_none() && (creates || made_stations) {
        let table = Node { value: Value::Table(Entries::default()), place: place.clone() };
        document.entries.set(target.table.name, place.clone(), table);
    }
    let Some(top) = document.entries.get_mut(target.table.name) else {
        return Err(Problem::at(place.clone(), format!("the scenario has no `{}`", target.table.name)));
    };
    let edit = Edit { target: &target, place, node };
    match &mut top.value {
        Value::List(nodes) => edit.list(nodes),
        Value::Table(entries) => edit.table(entries),
        _ => {}
    }
    Ok(())
}

/// The value of a key where the document itself has one.
pub(crate) fn written<'a>(document: &'a Document, target: &Target) -> Option<&'a Node> {
    let top = document.entries.get(target.table.name)?;
    let entries = match (&top.value, target.name.as_deref()) {
        (Value::List(nodes), Some(name)) => nodes
            .iter()
            .filter_map(Node::as_table)
            .find(|entries| entries.get("name").and_then(Node::as_text) == Some(name))?,
        (Value::Table(entries), Some(name)) => entries.get(name)?.as_table()?,
        (Value::Table(entries), None) => entries,
        // all members of a kind, which may differ
        _ => return None,
    };
    value_in(entries, &target.keys)
}

/// The value behind a chain of keys, each but the last of an inline table.
pub(crate) fn value_in<'a>(entries: &'a Entries, keys: &[&Key]) -> Option<&'a Node> {
    let (key, outer) = keys.split_last()?;
    outer.iter().try_fold(entries, |entries, key| entries.get(key.name)?.as_table())?.get(key.name)
}

struct Edit<'a> {
    target: &'a Target,
    place: &'a Option<Place>,
    node: Node,
}

impl Edit<'_> {
    /// `[[kind]]`: one of the tables, or all.
    fn list(&self, nodes: &mut [Node]) {
        for node in nodes {
            let Value::Table(entries) = &mut node.value else { continue };
            let own = entries.get("name").and_then(Node::as_text).unwrap_or_default().to_owned();
            match &self.target.name {
                Some(name) if *name == own => self.write(entries),
                Some(name) if is_member(entries, &own, name) => {
                    let members = inner_table(entries, MEMBER, self.place);
                    self.write(inner_table(members, name, self.place));
                }
                Some(_) => {}
                None => {
                    self.write(entries);
                    if let Some(Value::Table(members)) = entries.get_mut(MEMBER).map(|node| &mut node.value) {
                        self.forget(members);
                    }
                }
            }
        }
    }

    /// `[table]`; `[station]` next to shorthands has a table for each station that differs.
    fn table(&self, entries: &mut Entries) {
        match &self.target.name {
            Some(name) => self.write(inner_table(entries, name, self.place)),
            None => {
                self.write(entries);
                if self.target.table.shape == Shape::Many {
                    self.forget(entries);
                }
            }
        }
    }

    fn write(&self, mut entries: &mut Entries) {
        let (key, outer) = self.target.keys.split_last().expect("a path names a key");
        for outer in outer {
            if entries.get(outer.name).is_none() {
                entries.set(outer.name, self.place.clone(), default_table(outer, self.place));
            }
            entries = inner_table(entries, outer.name, self.place);
        }
        // both set the same quantity, so that the new one replaces both
        match key.name {
            "rate" if !outer.is_empty() => drop(entries.remove("interval")),
            "interval" if !outer.is_empty() => drop(entries.remove("rate")),
            _ => {}
        }
        entries.set(key.name, self.place.clone(), self.node.clone());
    }

    /// Every member has the value now: drops the values of single members.
    fn forget(&self, entries: &mut Entries) {
        for entry in &mut entries.0 {
            let Value::Table(member) = &mut entry.node.value else { continue };
            if self.target.table.find(&entry.key).is_some() {
                continue;
            }
            let (key, outer) = self.target.keys.split_last().expect("a path names a key");
            let table = outer.iter().try_fold(member, |entries, key| match &mut entries.get_mut(key.name)?.value {
                Value::Table(inner) => Some(inner),
                _ => None,
            });
            if let Some(table) = table {
                table.remove(key.name);
            }
        }
    }
}

/// The inline table a key has by default, so that setting one of its keys keeps the others.
fn default_table(key: &Key, place: &Option<Place>) -> Node {
    if let Preset::Value(text) = key.preset {
        let node = tree::value(text, &Source::new("declaration", text), 0);
        if node.as_table().is_some() {
            return Node { place: place.clone(), ..node };
        }
    }
    Node { value: Value::Table(Entries::default()), place: place.clone() }
}

fn inner_table<'a>(entries: &'a mut Entries, key: &str, place: &Option<Place>) -> &'a mut Entries {
    if entries.get(key).is_none_or(|node| node.as_table().is_none()) {
        entries.set(key, place.clone(), Node { value: Value::Table(Entries::default()), place: place.clone() });
    }
    match entries.get_mut(key).map(|node| &mut node.value) {
        Some(Value::Table(inner)) => inner,
        _ => unreachable!("just set to a table"),
    }
}

fn is_member(entries: &Entries, own: &str, name: &str) -> bool {
    let counted = entries.get("count").is_some();
    counted
        && name
            .strip_prefix(own)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|number| number.parse::<u32>().is_ok())
}
