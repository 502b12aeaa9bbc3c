//! Assembles a [`Scenario`] from drafts: defaults, names, the run.

use std::collections::BTreeMap;

use sojourn_core::Duration;

use crate::changes;
use crate::document::Document;
use crate::expand::{self, Draft, Drafts};
use crate::expect;
use crate::problem::{Problem, Problems};
use crate::profile::Profiles;
use crate::question;
use crate::references;
use crate::resolve::Form;
use crate::rules::laws;
use crate::scenario::{Resolved, RunSettings, Scenario, Table, WarmUp};
use crate::timed;
use crate::tree::Node;

/// Expands, completes and checks a document; every mistake is reported.
pub fn check(document: &Document) -> Result<Scenario, Problems> {
    let mut problems = Problems::new();
    let mut drafts = expand::expand(document, &mut problems);
    let members = members_apart(&mut drafts, &mut problems);
    let network_profile = drafts.one.get("network").and_then(|draft| draft.entries.get("profile")).cloned();
    let mut profiles = Profiles::new(document);
    profiles.apply(&mut drafts, &mut problems);

    let mut scenario = tables(document, &drafts, &mut problems);
    exceptions(document, members, &mut profiles, network_profile.as_ref(), &mut scenario, &mut problems);
    scenario.run = run(scenario.one.get("run"));
    scenario.expectations = expect::table(&drafts.expect, &mut problems);
    question::check(document, &scenario, &mut problems);
    references::check(&mut scenario, &mut problems);
    timed::check(document, &mut scenario, &mut problems);
    changes::check(document, &mut scenario, &mut problems);
    laws::check(&scenario, &mut problems);
    (document.keys.rules)(&mut scenario, &mut problems);
    problems.or(scenario)
}

/// A member set apart: which station, its name, its keys on top of the station's.
struct Apart {
    station: usize,
    name: String,
    place: Option<crate::source::Place>,
    draft: Draft,
}

fn members_apart(drafts: &mut Drafts, problems: &mut Problems) -> Vec<Apart> {
    let mut apart = Vec::new();
    for (station, draft) in drafts.many.entry("station").or_default().iter_mut().enumerate() {
        for (name, place, own) in std::mem::take(&mut draft.exceptions) {
            let mut entries = draft.entries.clone();
            for entry in own.0 {
                if matches!(entry.key.as_str(), "name" | "count") {
                    let message = format!("`{name}` is one member of a station, and cannot have `{}`", entry.key);
                    problems.push(Problem::at(entry.key_place, message).help("write a [[station]] of its own"));
                    continue;
                }
                entries.set(&entry.key, entry.key_place, entry.node);
            }
            let draft = Draft { place: place.clone(), entries, exceptions: Vec::new() };
            apart.push(Apart { station, name, place, draft });
        }
    }
    apart
}

fn tables(document: &Document, drafts: &Drafts, problems: &mut Problems) -> Scenario {
    let (mut one, mut many) = (BTreeMap::new(), BTreeMap::new());
    for (name, draft) in &drafts.one {
        let Some(declared) = document.keys.table(name) else { continue };
        one.insert(
            *name,
            Form::of(declared).fill(name, draft.place.clone(), &draft.entries, &document.folder, problems),
        );
    }
    for (name, list) in &drafts.many {
        let Some(declared) = document.keys.table(name) else { continue };
        let form = Form::of(declared);
        let fill = |draft: &Draft| {
            form.fill(named(draft), draft.place.clone(), &draft.entries, &document.folder, &mut *problems)
        };
        many.insert(*name, list.iter().map(fill).collect::<Vec<Table>>());
    }
    Scenario {
        title: title(drafts.title.as_ref(), problems),
        kind: document.keys.kind,
        keys: document.keys,
        one,
        many,
        run: run(None),
        expectations: Vec::new(),
        events: Vec::new(),
        options: Vec::new(),
        members: BTreeMap::new(),
    }
}

fn named(draft: &Draft) -> &str {
    draft.entries.get("name").and_then(Node::as_text).unwrap_or_default()
}

fn title(node: Option<&Node>, problems: &mut Problems) -> String {
    let Some(node) = node else { return String::new() };
    if let Some(text) = node.as_text() {
        return text.to_owned();
    }
    problems.push(Problem::at(node.place.clone(), format!("`title` takes text in quotes, not {}", node.value.noun())));
    String::new()
}

/// The members set apart, in full.
fn exceptions(
    document: &Document,
    apart: Vec<Apart>,
    profiles: &mut Profiles<'_>,
    network: Option<&Node>,
    scenario: &mut Scenario,
    problems: &mut Problems,
) {
    let Some(declared) = document.keys.table("station") else { return };
    let Some(stations) = scenario.many.get_mut("station") else { return };
    for Apart { station, name, place, mut draft } in apart {
        let Some(base) = stations.get_mut(station) else { continue };
        if base.count_was_refused() {
            continue;
        }
        let Some(number) = member_number(base, &name, &place, problems) else { continue };
        profiles.complete("station", &mut draft, network, problems);
        // mistakes of the station itself have been reported
        let mut found = Problems::new();
        let table = Form::of(declared).fill(&base.name, place, &draft.entries, &document.folder, &mut found);
        problems.0.extend(found.0.into_iter().filter(|problem| !problems.0.contains(problem)).collect::<Vec<_>>());
        base.exceptions.insert(number, table);
    }
}

fn member_number(
    station: &Table,
    name: &str,
    place: &Option<crate::source::Place>,
    problems: &mut Problems,
) -> Option<u32> {
    let number = name
        .strip_prefix(station.name())
        .and_then(|rest| rest.strip_prefix('-'))
        .and_then(|text| text.parse::<u32>().ok());
    let valid = number.filter(|number| (1..=station.count()).contains(number) && station.count() > 1);
    if valid.is_none() {
        let problem = Problem::at(place.clone(), format!("station `{}` has no member `{name}`", station.name()));
        let help = match station.count() {
            1 => "it is one station; write its keys under its own name, or give it `count`".to_owned(),
            count => format!("its members are {0}-1 to {0}-{count}", station.name()),
        };
        problems.push(problem.help(help));
    }
    valid
}

fn run(table: Option<&Table>) -> RunSettings {
    // a value that was refused has been reported, and the scenario is not handed out
    let warm_up = match table.and_then(|table| table.get("warm_up")).map(|entry| &entry.value) {
        Some(Resolved::Duration(span)) => WarmUp::Fixed(*span),
        _ => WarmUp::Auto,
    };
    let integer = |key| table.and_then(|table| table.optional_integer(key)).unwrap_or(1);
    RunSettings {
        duration: table.and_then(|table| table.optional_duration("duration")).unwrap_or(Duration::ZERO),
        warm_up,
        replications: u32::try_from(integer("replications")).unwrap_or(u32::MAX),
        seed: integer("seed"),
    }
}
