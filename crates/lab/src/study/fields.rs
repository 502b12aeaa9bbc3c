//! Typed readers for the tables of `study.toml`; all problems are collected with their positions.

use serde_json::Value as Json;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::source::Place;
use sojourn_scenario::tree::{Entries, Entry, Node, Value};

/// One table and its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    entries: &'a Entries,
    place: Option<&'a Place>,
}

impl<'a> Fields<'a> {
    /// The fields of `entries` at `place`.
    pub fn new(entries: &'a Entries, place: Option<&'a Place>) -> Self {
        Fields { entries, place }
    }

    /// The entries in the order written.
    pub fn entries(&self) -> &'a [Entry] {
        &self.entries.0
    }

    /// Reports every key that is not in `known`, with the nearest known one.
    pub fn refuse_unknown(&self, known: &[&str], problems: &mut Problems) {
        for entry in self.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let problem = Problem::at(entry.key_place.clone(), format!("unknown key `{}`", entry.key));
            problems.push(problem.maybe_help(suggestion(&entry.key, known.iter().copied())));
        }
    }

    /// The value under `key`, if it is there.
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.entries.get(key)
    }

    /// Reports `key` if it is absent.
    pub fn needed(&self, key: &str, problems: &mut Problems) {
        if self.entries.get(key).is_none() {
            problems.push(Problem::at(self.place.cloned(), format!("`{key}` is missing here")));
        }
    }

    /// The text under `key`, if it is there.
    pub fn text(&self, key: &str, problems: &mut Problems) -> Option<&'a str> {
        let node = self.entries.get(key)?;
        if node.as_text().is_none() {
            problems.push(Problem::at(node.place.clone(), format!("`{key}` is a string in quotes")));
        }
        node.as_text()
    }

    /// The required text under `key`; empty if it is absent.
    pub fn needed_text(&self, key: &str, problems: &mut Problems) -> String {
        self.needed(key, problems);
        self.text(key, problems).unwrap_or_default().to_owned()
    }

    /// The integer under `key`, at least 1, if it is there.
    pub fn count(&self, key: &str, problems: &mut Problems) -> Option<u32> {
        let node = self.entries.get(key)?;
        let number = match &node.value {
            Value::Integer(digits) => digits.replace('_', "").parse().ok().filter(|&number: &u32| number > 0),
            _ => None,
        };
        if number.is_none() {
            problems.push(Problem::at(node.place.clone(), format!("`{key}` is an integer, at least 1")));
        }
        number
    }

    /// The texts under `key`: one in quotes or a list of them; none when it is absent.
    pub fn texts(&self, key: &str, problems: &mut Problems) -> Vec<&'a Node> {
        let Some(node) = self.entries.get(key) else { return Vec::new() };
        let nodes = node.as_list().unwrap_or(std::slice::from_ref(node));
        for node in nodes.iter().filter(|node| node.as_text().is_none()) {
            problems.push(Problem::at(node.place.clone(), format!("`{key}` is a string in quotes, or a list of them")));
        }
        nodes.iter().filter(|node| node.as_text().is_some()).collect()
    }

    /// The table under `key`, if it is there.
    pub fn table(&self, key: &str, problems: &mut Problems) -> Option<Fields<'a>> {
        let node = self.entries.get(key)?;
        if node.as_table().is_none() {
            problems.push(Problem::at(node.place.clone(), format!("`{key}` is a table")));
        }
        Some(Fields::new(node.as_table()?, node.place.as_ref()))
    }

    /// The tables `[[key]]`, in order.
    pub fn tables(&self, key: &str, problems: &mut Problems) -> Vec<Fields<'a>> {
        let Some(node) = self.entries.get(key) else { return Vec::new() };
        let fields = |node: &'a Node| node.as_table().map(|entries| Fields::new(entries, node.place.as_ref()));
        let tables = node.as_list().and_then(|nodes| nodes.iter().map(fields).collect::<Option<Vec<_>>>());
        if tables.is_none() {
            problems.push(Problem::at(node.place.clone(), format!("write `[[{key}]]` for each of these")));
        }
        tables.unwrap_or_default()
    }

    /// Place of the value of `key`, or of the table if it has none.
    pub fn place(&self, key: &str) -> Option<Place> {
        self.entries.get(key).and_then(|node| node.place.clone()).or(self.place.cloned())
    }

    /// The whole table as JSON.
    pub fn json(&self) -> Json {
        self.entries().iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
    }
}
