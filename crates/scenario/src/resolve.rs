//! Resolves values and tables as written to their full form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::folder::Folder;
use crate::hint;
use crate::keys::{KIND, Key, Kind, Preset, TableKeys, Variant};
use crate::problem::{Problem, Problems};
use crate::quantity::{self, Dimension, Quantity};
use crate::scenario::{Entry, Origin, Resolved, Table};
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Node};
use crate::value;

/// The keys of a table in order.
pub(crate) type Keys = Vec<&'static Key>;

/// A table to fill: what an error calls it, its keys, and the defaults all its kind share.
pub(crate) struct Form {
    pub title: String,
    pub keys: Arc<Keys>,
    pub defaults: Arc<BTreeMap<&'static str, Entry>>,
}

impl Form {
    pub fn new(title: impl Into<String>, keys: Keys) -> Form {
        let defaults = Arc::new(keys.iter().filter_map(|key| Some((key.name, default(key)?))).collect());
        Form { title: title.into(), keys: Arc::new(keys), defaults }
    }

    pub fn of(table: &TableKeys) -> Form {
        let many = table.shape == crate::keys::Shape::Many;
        let title = if many { format!("[[{}]]", table.name) } else { format!("[{}]", table.name) };
        Form::new(title, table.all().collect())
    }

    /// Reads a table; keys that are not written come from the declarations.
    pub fn fill(
        &self,
        name: &str,
        place: Option<Place>,
        entries: &Entries,
        folder: &Folder,
        problems: &mut Problems,
    ) -> Table {
        let mut table = Table {
            name: name.to_owned(),
            place,
            keys: self.keys.clone(),
            own: BTreeMap::new(),
            defaults: self.defaults.clone(),
            exceptions: BTreeMap::new(),
            refused: BTreeSet::new(),
        };
        for entry in &entries.0 {
            self.take(&mut table, entry, folder, problems);
        }
        self.complete(&mut table, entries, problems);
        table
    }

    fn take(&self, table: &mut Table, entry: &tree::Entry, folder: &Folder, problems: &mut Problems) {
        let Some(key) = self.keys.iter().copied().find(|key| key.name == entry.key) else {
            problems.push(self.unknown(entry));
            return;
        };
        if let Some(value) = value(key, &entry.node, folder, problems) {
            let text = entry.node.to_toml();
            let origin = origin(&entry.node);
            table.own.insert(key.name, Entry { key, value, text, origin, place: entry.node.place.clone() });
        } else {
            table.refused.insert(key.name);
        }
    }

    fn unknown(&self, entry: &tree::Entry) -> Problem {
        let message = format!("{} has no key `{}`", self.title, entry.key);
        let names = self.keys.iter().map(|key| key.name);
        Problem::at(entry.key_place.clone(), message).maybe_help(hint::suggestion(&entry.key, names))
    }

    /// Values that depend on other keys, and keys that must be written.
    fn complete(&self, table: &mut Table, written: &Entries, problems: &mut Problems) {
        interval_of_rate(table, &self.keys, written, problems);
        for key in self.keys.iter().copied() {
            // a value that was refused has been reported
            let refused = written.get(key.name).is_some() || key.name == "interval" && written.get("rate").is_some();
            match key.preset {
                _ if refused || table.has(key.name) => {}
                Preset::By(other, values) => {
                    let word = table.get(other).and_then(|entry| match &entry.value {
                        Resolved::Word(word) => Some(word.clone()),
                        _ => None,
                    });
                    let text = values.iter().find(|(known, _)| Some(*known) == word.as_deref()).map(|(_, text)| *text);
                    if let Some(entry) = text.and_then(|text| declared(key, text)) {
                        table.own.insert(key.name, entry);
                    }
                }
                // a misspelt key has been reported, and this is the one that was meant
                Preset::Required if self.misspelt(key, written) => {}
                Preset::Required => problems.push(self.missing(table, key)),
                Preset::Value(_) | Preset::Absent | Preset::OnlyMedium => {}
            }
        }
    }

    fn misspelt(&self, key: &Key, written: &Entries) -> bool {
        let names = || self.keys.iter().map(|key| key.name);
        let strange = written.0.iter().filter(|entry| !names().any(|name| name == entry.key));
        strange.map(|entry| hint::nearest(&entry.key, names())).any(|meant| meant == Some(key.name))
    }

    fn missing(&self, table: &Table, key: &Key) -> Problem {
        let named = self.title.starts_with("[[") && !table.name.is_empty();
        let whose = if named { format!(" `{}`", table.name) } else { String::new() };
        let message = format!("{}{whose} needs `{}`", self.title, key.name);
        Problem::at(table.place.clone(), message).help(help(key))
    }
}

/// The declaration's sentence and what it takes.
fn help(key: &Key) -> String {
    let words = key.words().iter().map(|word| word.word).collect::<Vec<_>>().join(", ");
    match key.kind {
        Kind::Variants(variants) => {
            let kinds = variants.iter().map(|variant| variant.word).collect::<Vec<_>>().join(", ");
            format!("{} Write {} = {{ kind = \"...\", ... }}; kinds: {kinds}", key.help, key.name)
        }
        Kind::Quantity(dimension, _) => {
            format!("{} It is {}; units: {}", key.help, dimension.noun(), dimension.units_in_words())
        }
        _ if !words.is_empty() => format!("{} Words: {words}", key.help),
        _ => key.help.to_owned(),
    }
}

/// `rate` is the reciprocal of `interval`: the full form has the interval.
fn interval_of_rate(table: &mut Table, keys: &Keys, written: &Entries, problems: &mut Problems) {
    let Some(interval) = keys.iter().copied().find(|key| key.name == "interval") else { return };
    let Some(rate) = table.own.remove("rate") else { return };
    if written.get("interval").is_some() {
        problems.push(Problem::at(rate.place, "both `rate` and `interval` are given").help("write one of them"));
        return;
    }
    let text = written.get("rate").and_then(Node::as_text).unwrap_or_default();
    let span = Quantity::parse(text, Dimension::Rate).ok().and_then(|rate| rate.interval(1));
    let Some(span) = span.filter(|span| span.picoseconds() > 0) else {
        problems.push(Problem::at(rate.place, "this rate leaves no time between two messages, or more than 200 days"));
        return;
    };
    let text = tree::quoted(&quantity::duration_text(span));
    table.own.insert("interval", Entry { key: interval, value: Resolved::Duration(span), text, ..rate });
}

/// Reads a value; `None` after a mistake, which goes to `problems`.
pub(crate) fn value(key: &'static Key, node: &Node, folder: &Folder, problems: &mut Problems) -> Option<Resolved> {
    let is_law = matches!(key.kind, Kind::TimeOrLaw(..)) && node.as_table().is_some();
    if is_law || matches!(key.kind, Kind::Table(_) | Kind::Variants(_)) {
        return inline(key, node, folder, problems).map(|table| Resolved::Table(Box::new(table)));
    }
    value::plain(key, node, folder).map_err(|problem| problems.push(problem)).ok()
}

/// An inline table of fixed keys or of a kind.
fn inline(key: &'static Key, node: &Node, folder: &Folder, problems: &mut Problems) -> Option<Table> {
    let Some(entries) = node.as_table() else {
        let message = format!("`{}` takes a table, not {}", key.name, node.value.noun());
        problems.push(Problem::at(node.place.clone(), message).help(help(key)));
        return None;
    };
    let keys = match key.kind {
        Kind::Variants(variants) | Kind::TimeOrLaw(_, variants) => {
            variant_keys(key, variants, node, entries, problems)?
        }
        Kind::Table(keys) => keys.iter().collect(),
        _ => return None,
    };
    let before = problems.0.len();
    let table = Form::new(format!("`{}`", key.name), keys).fill("", node.place.clone(), entries, folder, problems);
    (problems.0.len() == before).then_some(table)
}

fn variant_keys(
    key: &Key,
    variants: &[Variant],
    node: &Node,
    entries: &Entries,
    problems: &mut Problems,
) -> Option<Keys> {
    let words = || variants.iter().map(|variant| variant.word);
    let Some(kind) = entries.get("kind") else {
        let problem = Problem::at(node.place.clone(), format!("`{}` needs `kind`", key.name));
        // a misspelt `kind` is the likely reason
        let meant = entries.0.iter().find(|entry| hint::nearest(&entry.key, ["kind"]).is_some());
        let problem = match meant {
            Some(entry) => Problem::at(entry.key_place.clone(), format!("`{}` has no key `{}`", key.name, entry.key))
                .help("did you mean `kind`?"),
            None => problem.help(format!("kinds: {}", words().collect::<Vec<_>>().join(", "))),
        };
        problems.push(problem);
        return None;
    };
    let word = kind.as_text().unwrap_or_default();
    let Some(variant) = variants.iter().find(|variant| variant.word == word) else {
        let message = format!("`{}` has no kind {}", key.name, kind.to_toml());
        problems.push(Problem::at(kind.place.clone(), message).maybe_help(hint::suggestion(word, words())));
        return None;
    };
    Some(std::iter::once(&KIND).chain(variant.keys.iter().flat_map(|list| list.iter())).collect())
}

fn origin(node: &Node) -> Origin {
    match &node.place {
        None => Origin::Made,
        Some(place) if place.source.profile => {
            let name = Path::new(&place.source.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            Origin::Profile(name.unwrap_or_default())
        }
        Some(_) => Origin::Written,
    }
}

/// A key's own default.
fn default(key: &'static Key) -> Option<Entry> {
    match key.preset {
        Preset::Value(text) => declared(key, text),
        _ => None,
    }
}

/// A value a declaration holds. A test reads every one; a wrong one is our mistake.
pub(crate) fn declared(key: &'static Key, text: &str) -> Option<Entry> {
    let mut problems = Problems::new();
    let node = tree::value(text, &Source::new("declaration", text), 0);
    let value = value(key, &node, &Folder::default(), &mut problems);
    debug_assert!(problems.is_empty(), "default of {}: {problems}", key.name);
    Some(Entry { key, value: value?, text: text.to_owned(), origin: Origin::Default, place: None })
}
