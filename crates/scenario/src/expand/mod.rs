//! Expands the document as written to the tables of the full form, values unchanged: shorthands become media,
//! stations and flows; lists from files become stations.

mod segments;
mod shorthand;
mod stations;

use std::collections::BTreeMap;

use crate::document::Document;
use crate::hint;
use crate::keys::{Kind, Shape, TableKeys};
use crate::problem::{Problem, Problems};
use crate::source::Place;
use crate::tree::{Entries, Node, Value};

pub(crate) use shorthand::makes_stations;

/// A table of the full form, as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub place: Option<Place>,
    pub entries: Entries,
    /// Members of a counted station that differ: name, where, and their own keys.
    pub exceptions: Vec<(String, Option<Place>, Entries)>,
}

/// All tables of the full form, as written.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    pub title: Option<Node>,
    pub expect: Entries,
    pub one: BTreeMap<&'static str, Draft>,
    pub many: BTreeMap<&'static str, Vec<Draft>>,
}

/// The key of a station under which members are set apart.
pub(crate) const MEMBER: &str = "member";

/// Expands a document.
pub(crate) fn expand(document: &Document, problems: &mut Problems) -> Drafts {
    let mut drafts = Drafts::default();
    unknown_tables(document, problems);
    drafts.title = document.entries.get("title").cloned();
    drafts.expect = document.entries.get("expect").and_then(|node| table(node, "expect", problems)).unwrap_or_default();
    for declared in document.keys.tables {
        match declared.shape {
            Shape::One => {
                drafts.one.insert(declared.name, one(document, declared, problems));
            }
            Shape::Many => {
                drafts.many.insert(declared.name, many(document, declared, problems));
            }
            Shape::Shorthand => {}
        }
    }
    if let Some(stations) = drafts.many.get_mut("station") {
        stations.extend(stations::from_file(document, problems));
    }
    shorthand::expand(document, &mut drafts, problems);
    segments::split(&mut drafts);
    empty(document, &drafts, problems);
    drafts
}

/// A scenario without stations or traffic has nothing to simulate; a measurement needs neither.
fn empty(document: &Document, drafts: &Drafts, problems: &mut Problems) {
    let shorthands: Vec<String> = document.keys.shorthands.iter().map(|made| format!("[{}]", made.table)).collect();
    let or = if shorthands.is_empty() { String::new() } else { format!(", or {}", shorthands.join(" and ")) };
    if document.is_measurement() {
        return;
    }
    for (name, message) in
        [("station", "the scenario has no stations"), ("flow", "the scenario has no flow: no station sends")]
    {
        // some networks have none
        let declared = document.keys.table(name).is_some();
        // a list in the wrong form has been reported
        let written = document.entries.get(name).is_some_and(|node| node.as_list().is_none());
        let sent = name == "flow" && document.keys.tables.iter().any(|declared| sends(declared, drafts));
        if declared && drafts.many.get(name).is_some_and(Vec::is_empty) && !written && !sent {
            let help = format!("add [[{name}]]{or}; `sojourn new {}` shows one that runs", document.keys.kind);
            problems.push(Problem::plain(message).help(help));
        }
    }
}

/// Whether a table that stands once names a sender.
fn sends(declared: &TableKeys, drafts: &Drafts) -> bool {
    let names = declared.find("from").is_some_and(|key| matches!(key.kind, Kind::Names(..)));
    names && drafts.one.get(declared.name).is_some_and(|draft| draft.entries.get("from").is_some())
}

/// What may stand at the top of a scenario.
pub(crate) fn top_level(document: &Document) -> Vec<&'static str> {
    let mut names = vec!["title", "expect"];
    names.extend(document.keys.tables.iter().map(|table| table.name));
    if document.keys.table("station").is_some() {
        names.push("stations");
    }
    names
}

fn unknown_tables(document: &Document, problems: &mut Problems) {
    let known = top_level(document);
    for entry in &document.entries.0 {
        if !known.contains(&entry.key.as_str()) {
            let what = if entry.node.as_table().is_some() { "table" } else { "key" };
            let message = format!("a {} scenario has no {what} `{}`", document.keys.kind, entry.key);
            let help = hint::suggestion(&entry.key, known.iter().copied());
            problems.push(Problem::at(entry.key_place.clone(), message).maybe_help(help));
        }
    }
}

fn table(node: &Node, name: &str, problems: &mut Problems) -> Option<Entries> {
    if let Some(entries) = node.as_table() {
        return Some(entries.clone());
    }
    let message = format!("`{name}` is a table, not {}", node.value.noun());
    problems.push(Problem::at(node.place.clone(), message).help(format!("write [{name}] and its keys below")));
    None
}

fn one(document: &Document, declared: &TableKeys, problems: &mut Problems) -> Draft {
    let Some(node) = document.entries.get(declared.name) else { return Draft::default() };
    let entries = table(node, declared.name, problems).unwrap_or_default();
    Draft { place: node.place.clone(), entries, exceptions: Vec::new() }
}

fn many(document: &Document, declared: &TableKeys, problems: &mut Problems) -> Vec<Draft> {
    let Some(entry) = document.entries.find(declared.name) else { return Vec::new() };
    match &entry.node.value {
        Value::List(nodes) => nodes
            .iter()
            .filter_map(|node| {
                let entries = table(node, declared.name, problems)?;
                let mut draft = Draft { place: node.place.clone(), entries, exceptions: Vec::new() };
                if declared.name == "station" {
                    take_members(&mut draft, problems);
                }
                Some(draft)
            })
            .collect(),
        // [station] holds keys of the stations that shorthands make
        Value::Table(_) if declared.name == "station" && shorthand::makes_stations(document) => Vec::new(),
        _ => {
            let message = format!("`{}` is a list of tables", declared.name);
            let problem = Problem::at(entry.key_place.clone(), message);
            problems.push(problem.help(format!("write [[{}]] for each one, with a name", declared.name)));
            Vec::new()
        }
    }
}

/// Moves `[station.member.NAME]` aside.
fn take_members(draft: &mut Draft, problems: &mut Problems) {
    let Some(node) = draft.entries.remove(MEMBER) else { return };
    let Some(members) = node.as_table() else {
        problems.push(Problem::at(node.place, "`member` is a table of members").help("write [station.member.NAME]"));
        return;
    };
    for entry in &members.0 {
        if let Some(entries) = table(&entry.node, &format!("station.{MEMBER}.{}", entry.key), problems) {
            draft.exceptions.push((entry.key.clone(), entry.key_place.clone(), entries));
        }
    }
}
