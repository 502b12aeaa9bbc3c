//! Parses TOML into a tree in which every key and value has its position.
//!
//! Scenarios, studies and profiles are all read here, so that mistakes are reported in the same form.

use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Problem, Problems};
use crate::source::{Place, Source};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value of the node.
    pub value: Value,
    /// Where it was written.
    pub place: Option<Place>,
}

/// A TOML value; numbers keep their spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string, without its quotes.
    Text(String),
    /// An integer, in decimal.
    Integer(String),
    /// A float, as written.
    Float(String),
    /// A Boolean, true or false.
    Flag(bool),
    /// A date or time, which no key takes.
    Date(String),
    /// An array, with its nodes.
    List(Vec<Node>),
    /// A table, with its entries.
    Table(Entries),
}

/// A table's entries in the order they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entries(pub Vec<Entry>);

/// One `key = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, without quotes.
    pub key: String,
    /// Where the key stands.
    pub key_place: Option<Place>,
    /// The value of the node.
    pub node: Node,
}

impl Node {
    /// A string that stands at `place`.
    pub fn text(text: impl Into<String>, place: Option<Place>) -> Node {
        Node { value: Value::Text(text.into()), place }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Entries> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The value as JSON: numbers as numbers, quantities as their strings.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        let number = |text: &str| text.replace('_', "").parse::<f64>().map_or(Json::Null, Json::from);
        match &self.value {
            Value::Text(text) | Value::Date(text) => Json::from(text.as_str()),
            Value::Integer(text) => text.parse::<i64>().map_or_else(|_| number(text), Json::from),
            Value::Float(text) => number(text),
            Value::Flag(flag) => Json::from(*flag),
            Value::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Value::Table(entries) => entries.0.iter().map(|e| (e.key.clone(), e.node.to_json())).collect(),
        }
    }

    /// The value as TOML on one line.
    pub fn to_toml(&self) -> String {
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Integer(text) | Value::Float(text) | Value::Date(text) => text.clone(),
            Value::Flag(flag) => flag.to_string(),
            Value::List(nodes) => {
                format!("[{}]", nodes.iter().map(Node::to_toml).collect::<Vec<_>>().join(", "))
            }
            Value::Table(entries) if entries.0.is_empty() => "{}".to_owned(),
            Value::Table(entries) => {
                let pairs = entries.0.iter().map(|e| format!("{} = {}", bare_or_quoted(&e.key), e.node.to_toml()));
                format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Value {
    /// What an error calls it.
    pub fn noun(&self) -> &'static str {
        match self {
            Value::Text(_) => "text in quotes",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Entries {
    /// The entry of a key.
    pub fn find(&self, key: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.find(key).map(|entry| &entry.node)
    }

    /// The value of a key, to edit.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// Sets a key, new or not.
    pub fn set(&mut self, key: &str, key_place: Option<Place>, node: Node) {
        match self.0.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => *entry = Entry { key: key.to_owned(), key_place, node },
            None => self.0.push(Entry { key: key.to_owned(), key_place, node }),
        }
    }

    /// Removes a key and gives its value.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.0.iter().position(|entry| entry.key == key)?;
        Some(self.0.remove(at).node)
    }
}

/// Reads a TOML file.
pub fn read(path: &Path) -> Result<Entries, Problems> {
    parse(&load(path)?)
}

/// Reads a text file whole.
pub fn load(path: &Path) -> Result<Arc<Source>, Problems> {
    let bytes = std::fs::read(path).map_err(|error| {
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file; paths are relative to the working directory",
            std::io::ErrorKind::PermissionDenied => "its permissions keep you from reading it",
            _ => "it must be a file that can be read",
        };
        Problem::plain(format!("cannot read {}: {}", path.display(), reason(&error))).help(help)
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = format!("{} is not UTF-8 text: byte {offset}, line {line}", path.display());
            Err(Problem::plain(message).help("save the file in UTF-8").into())
        }
    }
}

/// The system's words without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// Reads a TOML text; all mistakes of syntax at once.
pub fn parse(source: &Arc<Source>) -> Result<Entries, Problems> {
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    if errors.is_empty() {
        return Ok(entries(table.get_ref(), source));
    }
    let problems = errors.iter().map(|error| {
        let place = error.span().map(|span| Place::new(source, span));
        Problem::at(place, format!("this is not TOML: {}", error.message()))
    });
    let mut problems = Problems(problems.collect());
    problems.sort();
    Err(problems)
}

/// Reads what a user gave for a key: a TOML value, or the rest of the text as a string (`300 /s`, `TP/XF-78`).
pub fn value(text: &str, source: &Arc<Source>, offset: usize) -> Node {
    let trimmed = text.trim();
    let offset = offset + (text.len() - text.trim_start().len());
    let place = Some(Place::new(source, offset..offset + trimmed.len()));
    let parsed = DeValue::parse(trimmed).ok().map(|value| convert(&value, source, offset));
    match parsed {
        Some(Node { value: Value::Date(_), .. }) | None => Node::text(trimmed, place),
        Some(node) => Node { place, ..node },
    }
}

fn entries(table: &DeTable<'_>, source: &Arc<Source>) -> Entries {
    entries_at(table, source, 0)
}

fn entries_at(table: &DeTable<'_>, source: &Arc<Source>, offset: usize) -> Entries {
    let mut list: Vec<(usize, Entry)> = table
        .iter()
        .map(|(key, value)| {
            let span = key.span().start + offset..key.span().end + offset;
            let key_place = Some(Place::new(source, span.clone()));
            (span.start, Entry { key: key.get_ref().to_string(), key_place, node: convert(value, source, offset) })
        })
        .collect();
    list.sort_by_key(|(start, _)| *start);
    Entries(list.into_iter().map(|(_, entry)| entry).collect())
}

fn convert(value: &Spanned<DeValue<'_>>, source: &Arc<Source>, offset: usize) -> Node {
    let place = Some(Place::new(source, value.span().start + offset..value.span().end + offset));
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(integer(number.as_str(), number.radix())),
        DeValue::Float(number) => Value::Float(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(nodes) => Value::List(nodes.iter().map(|node| convert(node, source, offset)).collect()),
        DeValue::Table(table) => Value::Table(entries_at(table, source, offset)),
    };
    Node { value, place }
}

fn integer(digits: &str, radix: u32) -> String {
    if radix == 10 {
        return digits.to_owned();
    }
    i128::from_str_radix(digits, radix).map_or_else(|_| digits.to_owned(), |number| number.to_string())
}

/// A string as TOML.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A key as TOML: quoted where a bare key cannot be.
pub fn bare_or_quoted(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { key.to_owned() } else { quoted(key) }
}
