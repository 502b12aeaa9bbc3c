//! References: every name is unique, and every name used must exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::hint;
use crate::keys::{Kind, Preset, Target};
use crate::problem::{Problem, Problems};
use crate::scenario::{Entry, Origin, Resolved, Scenario, Table};
use crate::tree;

/// Checks names, attaches stations to the only medium, counts members.
pub(crate) fn check(scenario: &mut Scenario, problems: &mut Problems) {
    for (kind, list) in &scenario.many {
        twice(kind, list, problems);
    }
    scenario.members = members(scenario, problems);
    attach(scenario, problems);
    for table in scenario.one.values().chain(scenario.many.values().flatten()) {
        references(scenario, table, problems);
    }
    media_in_use(scenario, problems);
}

fn twice(kind: &str, list: &[Table], problems: &mut Problems) {
    let mut first: BTreeMap<&str, &Table> = BTreeMap::new();
    for table in list.iter().filter(|table| !table.name.is_empty()) {
        if let Some(earlier) = first.insert(&table.name, table) {
            let problem = Problem::at(table.place_of("name"), format!("two {kind}s are called `{}`", table.name));
            problems.push(problem.maybe_help(earlier.place_of("name").map(|place| {
                let (line, _) = place.source.line_and_column(place.span.start);
                format!("the other one is in line {line} of {}", place.source.name)
            })));
        }
    }
}

/// Where each station's members begin; a station that is called like a member of another is refused.
fn members(scenario: &Scenario, problems: &mut Problems) -> BTreeMap<String, (usize, u32)> {
    let (mut members, mut next) = (BTreeMap::new(), 0usize);
    let stations = scenario.many.get("station").map(Vec::as_slice).unwrap_or_default();
    for station in stations {
        members.entry(station.name.clone()).or_insert((next, station.count()));
        next += station.count() as usize;
    }
    for station in stations {
        let Some((base, number)) = station.name.rsplit_once('-') else { continue };
        let Some((_, count)) = members.get(base).filter(|(_, count)| *count > 1) else { continue };
        if number.parse::<u32>().is_ok_and(|n| n.to_string() == number && (1..=*count).contains(&n)) {
            let message = format!("two stations are called `{}`", station.name);
            let help = format!(
                "station `{base}` has {count} members, {base}-1 to {base}-{count}; [station.member.{}] gives one of them keys of its own",
                station.name
            );
            problems.push(Problem::at(station.place_of("name"), message).help(help));
        }
    }
    members
}

/// A station that names no medium is on the only one.
fn attach(scenario: &mut Scenario, problems: &mut Problems) {
    let Some(key) = scenario
        .keys
        .table("station")
        .and_then(|table| table.all().find(|key| matches!(key.preset, Preset::OnlyMedium)))
    else {
        return;
    };
    let media: Vec<String> =
        scenario.many.get("medium").into_iter().flatten().map(|medium| medium.name.clone()).collect();
    let Some(stations) = scenario.many.get_mut("station") else { return };
    for station in stations.iter_mut() {
        let tables =
            std::iter::once(&mut station.own).chain(station.exceptions.values_mut().map(|table| &mut table.own));
        let mut missing = false;
        for own in tables {
            if own.contains_key(key.name) {
                continue;
            }
            if let [only] = media.as_slice() {
                let text = format!("[{}]", tree::quoted(only));
                let value = Resolved::Words(vec![only.clone()]);
                own.insert(key.name, Entry { key, value, text, origin: Origin::Default, place: None });
            } else {
                missing = true;
            }
        }
        // a refused `on` has been reported, with its place inside the station
        let reported = problems.0.iter().any(|problem| problem.message.contains("`on`"));
        if missing && media.len() > 1 && !reported {
            let problem = Problem::at(
                station.place.clone(),
                format!("[[station]] `{}` needs `on`: there are several media", station.name),
            );
            problems.push(problem.help(format!("media: {}", media.join(", "))));
        }
    }
}

fn references(scenario: &Scenario, table: &Table, problems: &mut Problems) {
    for entry in table.own.values().chain(table.exceptions.values().flat_map(|table| table.own.values())) {
        let (Kind::Names(target, words), Resolved::Words(names)) = (entry.key.kind, &entry.value) else { continue };
        if names.is_empty() {
            let message = match entry.key.name {
                "to" => format!("flow `{}` has no receiver", table.name),
                key => format!("`{key}` of `{}` is an empty list", table.name),
            };
            problems.push(Problem::at(entry.place.clone(), message).help("write at least one name"));
        }
        for name in names.iter().filter(|name| !words.iter().any(|word| word.word == **name)) {
            if !exists(scenario, target, name) {
                problems.push(unknown(scenario, target, name, words.iter().map(|word| word.word), entry));
            }
        }
    }
}

fn exists(scenario: &Scenario, target: Target, name: &str) -> bool {
    match target {
        Target::Medium => scenario.many.get("medium").is_some_and(|list| list.iter().any(|medium| medium.name == name)),
        Target::Flow => scenario.flow_named(name).is_some(),
        Target::Station => !scenario.resolve(name).is_empty() || is_member_of_unknown_count(scenario, name),
        Target::Hop => is_alias(scenario, name) || exists(scenario, Target::Station, name),
    }
}

fn is_alias(scenario: &Scenario, name: &str) -> bool {
    scenario.many.get("station").into_iter().flatten().any(|station| station.words("aliases").contains(&name))
}

/// Whether it may be a member of a station whose `count` was refused: that is reported already.
fn is_member_of_unknown_count(scenario: &Scenario, name: &str) -> bool {
    let Some((base, number)) = name.rsplit_once('-') else { return false };
    let stations = scenario.many.get("station").map(Vec::as_slice).unwrap_or_default();
    number.parse::<u32>().is_ok() && stations.iter().any(|station| station.name == base && station.count_was_refused())
}

fn unknown(
    scenario: &Scenario,
    target: Target,
    name: &str,
    words: impl Iterator<Item = &'static str>,
    entry: &Entry,
) -> Problem {
    let kind = match target {
        Target::Medium => "medium",
        Target::Station | Target::Hop => "station",
        Target::Flow => "flow",
    };
    let list = scenario.many.get(kind).map(Vec::as_slice).unwrap_or_default();
    let names = list.iter().map(|table| table.name()).filter(|name| !name.is_empty());
    let made =
        scenario.one.keys().copied().filter(|name| target == Target::Flow && scenario.flow_named(name).is_some());
    let names = names.chain(made);
    let known: Vec<&str> = names.chain(words.map(|word| -> &str { word })).collect();
    let place = entry.place.as_ref().map(|place| narrow(place, name));
    let help = match list.iter().find(|table| name.rsplit_once('-').is_some_and(|(base, _)| base == table.name)) {
        Some(station) if station.count() > 1 => {
            Some(format!("its members are {0}-1 to {0}-{1}", station.name, station.count()))
        }
        _ if target == Target::Medium && hint::nearest(name, known.iter().copied()).is_none() => {
            Some(medium_to_write(name, scenario))
        }
        _ => hint::suggestion(name, known),
    };
    Problem::at(place, format!("there is no {kind} `{name}`")).maybe_help(help)
}

/// How to write a medium that is named and missing; the one that stands for `[channel]` has no name to be used.
fn medium_to_write(name: &str, scenario: &Scenario) -> String {
    let media = scenario.many.get("medium").map(Vec::as_slice).unwrap_or_default();
    let written: Vec<&str> = media
        .iter()
        .map(Table::name)
        .filter(|name| !name.is_empty() && scenario.keys.uniform_medium != Some(name))
        .collect();
    let or = if written.is_empty() { String::new() } else { format!(", or name one of: {}", written.join(", ")) };
    format!("write [[medium]] with name = {}{or}", tree::quoted(name))
}

/// The name itself within a list of names.
fn narrow(place: &crate::source::Place, name: &str) -> crate::source::Place {
    match place.text().find(&format!("\"{name}\"")) {
        Some(at) => {
            let start = place.span.start + at;
            crate::source::Place::new(&place.source, start..start + name.len() + 2)
        }
        None => place.clone(),
    }
}

fn media_in_use(scenario: &Scenario, problems: &mut Problems) {
    let stations = scenario.many.get("station").map(Vec::as_slice).unwrap_or_default();
    if stations.is_empty() {
        return;
    }
    let tables = stations.iter().flat_map(|station| std::iter::once(station).chain(station.exceptions.values()));
    let used: BTreeSet<&str> = tables.flat_map(|station| station.words("on")).collect();
    for medium in scenario.many.get("medium").into_iter().flatten() {
        if !medium.name.is_empty() && !used.contains(medium.name()) {
            let problem = Problem::at(medium.place_of("name"), format!("no station is on medium `{}`", medium.name));
            problems.push(problem.help("name it in `on` of a station, or remove it"));
        }
    }
}
