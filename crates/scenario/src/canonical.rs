//! The canonical JSON of a scenario, from which its hash is computed.

use serde_json::{Map, Value as Json};

use crate::changes;
use crate::keys::event;
use crate::keys::live::{mesh, monitor};
use crate::keys::{Key, ObeyedBy, Secrecy};
use crate::question;
use crate::redaction::shown_value;
use crate::scenario::{Entry, Scenario, Table};

/// Keys without effect on the model: the origin of values, and the random numbers drawn.
const LEFT_OUT: [&str; 2] = ["profile", "seed"];

impl Scenario {
    /// What a simulation depends on: sorted keys, SI values, no white space; without title, `[expect]`, `[question]`, `[[option]]`,
    /// seed and what only real networks obey.
    pub fn canonical_json(&self) -> String {
        self.canonical(|key| key.world != ObeyedBy::Live)
    }

    /// The same with what only real networks obey, but for what is monitored.
    pub fn canonical_measurement_json(&self) -> String {
        self.canonical(|_| true)
    }

    fn canonical(&self, counts: fn(&Key) -> bool) -> String {
        let left_out = [question::TABLE, changes::TABLE, monitor::TABLE, monitor::TARGETS, mesh::TABLE, mesh::AGENTS];
        let counted = |name: &str| {
            !left_out.contains(&name) && self.keys.table(name).is_some_and(|table| table.all().any(counts))
        };
        let one = self.one.iter().filter(|(name, _)| counted(name));
        // without events a scenario is what it was before there were any
        let is_unnamed = |name: &str| name == event::TABLE || self.keys.unnamed_if_empty.contains(&name);
        let is_there = |name: &str, list: &[Table]| !is_unnamed(name) || !list.is_empty();
        let many = self.many.iter().filter(|(name, list)| counted(name) && is_there(name, list));
        let one = one.map(|(name, table)| ((*name).to_owned(), full(table, counts)));
        let many =
            many.map(|(name, list)| ((*name).to_owned(), list.iter().map(|table| full(table, counts)).collect()));
        sorted(Json::Object(one.chain(many).collect())).to_string()
    }
}

/// With sorted keys, however the map type of the build orders them.
fn sorted(json: Json) -> Json {
    match json {
        Json::Object(map) => {
            let ordered: std::collections::BTreeMap<String, Json> = map.into_iter().collect();
            Json::Object(ordered.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Json::Array(list) => list.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn full(table: &Table, counts: fn(&Key) -> bool) -> Json {
    let mut map = Map::new();
    for entry in table.entries().into_iter().filter(|entry| counts(entry.key)) {
        if !LEFT_OUT.contains(&entry.key.name) {
            map.insert(entry.key.name.to_owned(), value(entry));
        }
    }
    let members: Map<String, Json> = table
        .exceptions
        .iter()
        .map(|(number, member)| (table.member_name(*number), differences(table, member)))
        .collect();
    if !members.is_empty() {
        map.insert("member".to_owned(), Json::Object(members));
    }
    Json::Object(map)
}

/// What a member has that its station has not.
fn differences(station: &Table, member: &Table) -> Json {
    let entries = member.entries().into_iter().filter(|entry| !LEFT_OUT.contains(&entry.key.name));
    let differing = entries.filter_map(|entry| {
        let own = value(entry);
        let same = station.get(entry.key.name).is_some_and(|entry| value(entry) == own);
        (!same).then(|| (entry.key.name.to_owned(), own))
    });
    Json::Object(differing.collect())
}

/// A value without what of it is a secret: the hash stands in results, and a short password can be found by its hash.
fn value(entry: &Entry) -> Json {
    let shown = |json: Json| match json {
        Json::String(text) => Json::String(shown_value(entry.key.name, &text)),
        other => other,
    };
    match entry.value.to_json() {
        json if matches!(entry.key.secrecy, Secrecy::None | Secrecy::File) => json,
        Json::Array(list) => list.into_iter().map(shown).collect(),
        json => shown(json),
    }
}
