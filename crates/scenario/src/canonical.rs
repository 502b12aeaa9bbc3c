//! The canonical JSON of a scenario: what its hash is made from.

use serde_json::{Map, Value as Json};

use crate::question;
use crate::scenario::{Scenario, Table};

/// Keys that say nothing about what is simulated: where values came from, and which random numbers are drawn.
const LEFT_OUT: [&str; 2] = ["profile", "seed"];

impl Scenario {
    /// Sorted keys, SI values, no white space; without title, `[expect]`, `[question]` and seed.
    pub fn canonical_json(&self) -> String {
        let simulated = self.one.iter().filter(|(name, _)| **name != question::TABLE);
        let one = simulated.map(|(name, table)| ((*name).to_owned(), full(table)));
        let many = self.many.iter().map(|(name, list)| ((*name).to_owned(), list.iter().map(full).collect()));
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

fn full(table: &Table) -> Json {
    let mut map = Map::new();
    for entry in table.entries() {
        if !LEFT_OUT.contains(&entry.key.name) {
            map.insert(entry.key.name.to_owned(), entry.value.to_json());
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
        let own = entry.value.to_json();
        let same = station.get(entry.key.name).is_some_and(|entry| entry.value.to_json() == own);
        (!same).then(|| (entry.key.name.to_owned(), own))
    });
    Json::Object(differing.collect())
}
