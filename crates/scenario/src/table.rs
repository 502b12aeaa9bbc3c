//! A table in full form: every key with its value, and the origin of its value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sojourn_core::Duration;

use crate::keys::{Key, Preset};
use crate::source::Place;
use crate::tree::Entries;

/// A table in full form.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) place: Option<Place>,
    /// All its keys in order, shared as the defaults are.
    pub(crate) keys: Arc<Vec<&'static Key>>,
    pub(crate) own: BTreeMap<&'static str, Entry>,
    /// Shared by all tables of one declaration.
    pub(crate) defaults: Arc<BTreeMap<&'static str, Entry>>,
    /// Members that differ from the rest: number and full table.
    pub(crate) exceptions: BTreeMap<u32, Table>,
    /// Keys that are written with a value that was refused, and reported.
    pub(crate) refused: BTreeSet<&'static str>,
}

/// A key's value and where it comes from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The declaration of the key.
    pub key: &'static Key,
    /// The value, ready to use.
    pub value: Resolved,
    /// The value as TOML.
    pub text: String,
    /// Where the value comes from.
    pub origin: Origin,
    /// Where it was written.
    pub place: Option<Place>,
}

/// A value ready to use.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// A time, to the picosecond.
    Duration(Duration),
    /// Any other quantity, in SI units.
    Number(f64),
    /// A whole number without unit.
    Integer(u64),
    /// A word, a name or a text.
    Word(String),
    /// Several names or texts.
    Words(Vec<String>),
    /// Several times.
    Durations(Vec<Duration>),
    /// Paths of keys and their values, as written.
    Settings(Entries),
    /// A flag, true or false.
    Flag(bool),
    /// An inline table in full form.
    Table(Box<Table>),
    /// A file: its absolute path and what it holds.
    File(String, Arc<str>),
}

/// Where a key's value comes from, in rising precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The declaration, with its source.
    Default,
    /// A profile, by name.
    Profile(String),
    /// A shorthand table, or what follows from other keys.
    Made,
    /// The scenario or `--set`.
    Written,
}

impl Resolved {
    /// The value as results show it: numbers in SI units, words as they are.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Resolved::Duration(span) => Json::from(span.seconds()),
            Resolved::Number(number) => Json::from(*number),
            Resolved::Integer(number) => Json::from(*number),
            Resolved::Word(word) => Json::from(word.as_str()),
            Resolved::Words(words) => Json::from(words.clone()),
            Resolved::Durations(spans) => spans.iter().map(|span| span.seconds()).collect(),
            Resolved::Settings(entries) => {
                entries.0.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
            }
            Resolved::Flag(flag) => Json::from(*flag),
            Resolved::Table(table) => table.to_json(),
            Resolved::File(_, text) => Json::from(&**text),
        }
    }
}

impl Table {
    /// The member's, flow's or medium's name; the table's own for those without.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many members it stands for.
    pub fn count(&self) -> u32 {
        self.get("count").map_or(1, |entry| match entry.value {
            Resolved::Integer(count) => u32::try_from(count).unwrap_or(u32::MAX),
            _ => 1,
        })
    }

    /// Whether `count` was refused: how many members it stands for, and how they are called, is unknown.
    pub fn count_was_refused(&self) -> bool {
        self.refused.contains("count")
    }

    /// Members that differ from the rest, as full tables.
    pub fn exceptions(&self) -> impl Iterator<Item = &Table> {
        self.exceptions.values()
    }

    /// Gives a key a value that follows from others.
    pub fn complete(&mut self, key: &'static Key, value: Resolved, text: String) {
        self.own.insert(key.name, Entry { key, value, text, origin: Origin::Made, place: None });
    }

    /// The name of member `number`, from 1.
    pub fn member_name(&self, number: u32) -> String {
        if self.count() == 1 { self.name.clone() } else { format!("{}-{number}", self.name) }
    }

    /// Whether the key has a value.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A key with its value and origin.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.own.get(key).or_else(|| self.defaults.get(key))
    }

    /// Where a key's value was written; without one, where the table begins.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        self.get(key).and_then(|entry| entry.place.clone()).or_else(|| self.place.clone())
    }

    /// A time. This and its siblings panic when the key is undeclared, absent or of another type: our mistake.
    pub fn duration(&self, key: &str) -> Duration {
        self.optional_duration(key).unwrap_or_else(|| self.absent(key))
    }

    /// A quantity in SI units.
    pub fn number(&self, key: &str) -> f64 {
        self.optional_number(key).unwrap_or_else(|| self.absent(key))
    }

    /// A whole number without unit.
    pub fn integer(&self, key: &str) -> u64 {
        self.optional_integer(key).unwrap_or_else(|| self.absent(key))
    }

    /// A word, a name or a text.
    pub fn word(&self, key: &str) -> &str {
        self.optional_word(key).unwrap_or_else(|| self.absent(key))
    }

    /// Whether the key has this word.
    pub fn word_is(&self, key: &str, word: &str) -> bool {
        self.optional_word(key) == Some(word)
    }

    /// One or several names.
    pub fn words(&self, key: &str) -> Vec<&str> {
        match self.value(key) {
            Some(Resolved::Words(words)) => words.iter().map(String::as_str).collect(),
            Some(Resolved::Word(word)) => vec![word],
            Some(_) => self.absent(key),
            None => Vec::new(),
        }
    }

    /// Several times; none where the key is absent.
    pub fn durations(&self, key: &str) -> Vec<Duration> {
        match self.value(key) {
            Some(Resolved::Durations(spans)) => spans.clone(),
            _ => Vec::new(),
        }
    }

    /// A flag, true or false.
    pub fn flag(&self, key: &str) -> bool {
        match self.value(key) {
            Some(Resolved::Flag(flag)) => *flag,
            _ => self.absent(key),
        }
    }

    /// An inline table in full form.
    pub fn table(&self, key: &str) -> &Table {
        self.optional_table(key).unwrap_or_else(|| self.absent(key))
    }

    /// What a file holds.
    pub fn file(&self, key: &str) -> &str {
        match self.value(key) {
            Some(Resolved::File(_, text)) => text,
            _ => self.absent(key),
        }
    }

    /// A time, if it is given.
    pub fn optional_duration(&self, key: &str) -> Option<Duration> {
        match self.value(key)? {
            Resolved::Duration(span) => Some(*span),
            _ => None,
        }
    }

    /// A quantity in SI units, if it is given.
    pub fn optional_number(&self, key: &str) -> Option<f64> {
        match self.value(key)? {
            Resolved::Number(number) => Some(*number),
            Resolved::Integer(number) => Some(*number as f64),
            Resolved::Duration(span) => Some(span.seconds()),
            _ => None,
        }
    }

    /// A whole number, if it is given.
    pub fn optional_integer(&self, key: &str) -> Option<u64> {
        match self.value(key)? {
            Resolved::Integer(number) => Some(*number),
            Resolved::Number(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
            _ => None,
        }
    }

    /// A word, a name or a text, if it is given.
    pub fn optional_word(&self, key: &str) -> Option<&str> {
        match self.value(key)? {
            Resolved::Word(word) => Some(word),
            _ => None,
        }
    }

    /// An inline table, if it is given.
    pub fn optional_table(&self, key: &str) -> Option<&Table> {
        match self.value(key)? {
            Resolved::Table(table) => Some(table),
            _ => None,
        }
    }

    /// All keys with a value, in the order of their declaration.
    pub fn entries(&self) -> Vec<&Entry> {
        self.keys.iter().filter_map(|key| self.get(key.name)).collect()
    }

    /// The keys that the document itself or the command line writes, in the order of their declaration.
    pub fn written(&self) -> impl Iterator<Item = &Entry> {
        self.entries().into_iter().filter(|entry| entry.origin == Origin::Written)
    }

    /// Those of them that differ from their default: a value that is written out as it is by default asks for nothing.
    pub fn changed(&self) -> impl Iterator<Item = &Entry> {
        self.written().filter(|entry| match (entry.key.preset, self.defaults.get(entry.key.name)) {
            (Preset::By(other, values), _) => {
                !values.iter().any(|(word, value)| self.word_is(other, word) && *value == entry.text)
            }
            (_, Some(default)) => default.value.to_json() != entry.value.to_json(),
            (_, None) => true,
        })
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        self.entries().iter().map(|entry| (entry.key.name.to_owned(), entry.value.to_json())).collect()
    }

    fn value(&self, key: &str) -> Option<&Resolved> {
        self.get(key).map(|entry| &entry.value)
    }

    fn absent(&self, key: &str) -> ! {
        panic!("{}: key {key} is not declared, absent or of another type", self.name)
    }
}
