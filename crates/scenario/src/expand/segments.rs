//! A medium in two segments: half of each group of stations moves to a medium of its own behind a router.
//!
//! Stations that stand alone stay, as do those that forward. What names the medium or a group names the near half; flows
//! name both halves.

use super::{Draft, Drafts};
use crate::source::Place;
use crate::tree::{Entries, Node, Value};

/// The key of a medium that says in how many segments it is.
pub(crate) const SEGMENTS: &str = "segments";
/// What is added to the names of the far medium and its stations.
const FAR: &str = "far";
/// Keys of flows and probes that name stations.
const ENDS: [&str; 2] = ["from", "to"];

/// A group of stations of which the members after the first `near` moved.
struct Group {
    name: String,
    near: u64,
}

/// Splits every medium that is written with two segments.
pub(super) fn split(drafts: &mut Drafts) {
    let media = drafts.many.get("medium").map(Vec::as_slice).unwrap_or_default();
    let in_two = |draft: &&Draft| matches!(draft.entries.get(SEGMENTS), Some(Node { value: Value::Integer(two), .. }) if two == "2");
    let names: Vec<String> = media.iter().filter(in_two).filter_map(|draft| name(draft).map(str::to_owned)).collect();
    for medium in names {
        split_one(drafts, &medium);
    }
}

fn split_one(drafts: &mut Drafts, medium: &str) {
    let far = far_of(medium);
    let Some(media) = drafts.many.get_mut("medium") else { return };
    let Some(at) = media.iter().position(|draft| name(draft) == Some(medium)) else { return };
    media[at].entries.remove(SEGMENTS);
    let mut second = media[at].clone();
    rename(&mut second, &far);
    media.insert(at + 1, second);
    let place = media[at].place.clone();
    let Some(stations) = drafts.many.get_mut("station") else { return };
    let mut groups = Vec::new();
    let moved: Vec<Draft> =
        stations.iter_mut().filter_map(|station| halved(station, medium, &far, &mut groups)).collect();
    stations.extend(moved);
    stations.push(router(medium, &far, place));
    let ends = drafts.many.values_mut().flatten().chain(drafts.one.values_mut());
    for draft in ends {
        for key in ENDS {
            if let Some(node) = draft.entries.get_mut(key) {
                *node = with_far(node, &groups);
            }
        }
    }
}

/// The far half of a group on the medium.
fn halved(station: &mut Draft, medium: &str, far: &str, groups: &mut Vec<Group>) -> Option<Draft> {
    let own = name(station)?.to_owned();
    let forwards = station.entries.get("router").and_then(Node::as_text).is_some_and(|word| word != "none");
    let count = match station.entries.get("count").map(|node| &node.value) {
        Some(Value::Integer(text)) => text.parse::<u64>().ok()?,
        _ => return None,
    };
    let is_there = texts(station.entries.get("on")?) == [medium];
    if forwards || count < 2 || !is_there {
        return None;
    }
    let near = count.div_ceil(2);
    let mut moved = station.clone();
    set(&mut station.entries, "count", Value::Integer(near.to_string()));
    set(&mut moved.entries, "count", Value::Integer((count - near).to_string()));
    set(&mut moved.entries, "on", Value::Text(far.to_owned()));
    rename(&mut moved, &far_of(&own));
    let is_far = |member: &str| number(member, &own).is_some_and(|number| number > near);
    station.exceptions.retain(|(member, ..)| !is_far(member));
    moved.exceptions.retain(|(member, ..)| is_far(member));
    groups.push(Group { name: own, near });
    for (member, ..) in &mut moved.exceptions {
        *member = renamed(member, groups).unwrap_or_else(|| member.clone());
    }
    Some(moved)
}

fn router(medium: &str, far: &str, place: Option<Place>) -> Draft {
    let mut entries = Entries::default();
    let on = [medium, far].map(|name| Node::text(name, place.clone())).to_vec();
    for (key, value) in [
        ("name", Value::Text(format!("{medium}-router"))),
        ("on", Value::List(on)),
        ("router", Value::Text("configured".to_owned())),
    ] {
        entries.set(key, place.clone(), Node { value, place: place.clone() });
    }
    Draft { place, entries, exceptions: Vec::new() }
}

/// The stations that a node names, each group with its far half, and members under the names that they have now.
fn with_far(node: &Node, groups: &[Group]) -> Node {
    let text = |name: String| Node::text(name, node.place.clone());
    let mut found = Vec::new();
    let mut is_changed = false;
    for name in texts(node) {
        let (now, beside) = match (groups.iter().find(|group| group.name == name), renamed(name, groups)) {
            (Some(_), _) => (name.to_owned(), Some(far_of(name))),
            (None, Some(member)) => (member, None),
            (None, None) => (name.to_owned(), None),
        };
        is_changed |= now != name || beside.is_some();
        found.extend([Some(now), beside].into_iter().flatten().map(text));
    }
    match found.len() {
        _ if !is_changed => node.clone(),
        1 if node.as_text().is_some() => found.remove(0),
        _ => Node { value: Value::List(found), place: node.place.clone() },
    }
}

/// The name of a member that moved.
fn renamed(member: &str, groups: &[Group]) -> Option<String> {
    groups.iter().find_map(|group| {
        let number = number(member, &group.name).filter(|number| *number > group.near)?;
        Some(format!("{}-{}", far_of(&group.name), number - group.near))
    })
}

/// The number of a member of a group.
fn number(member: &str, group: &str) -> Option<u64> {
    member.strip_prefix(group)?.strip_prefix('-')?.parse().ok()
}

fn far_of(name: &str) -> String {
    format!("{name}-{FAR}")
}

fn name(draft: &Draft) -> Option<&str> {
    draft.entries.get("name").and_then(Node::as_text)
}

fn rename(draft: &mut Draft, name: &str) {
    set(&mut draft.entries, "name", Value::Text(name.to_owned()));
}

fn set(entries: &mut Entries, key: &str, value: Value) {
    if let Some(node) = entries.get_mut(key) {
        node.value = value;
    }
}

/// The names that a node holds, alone or in a list.
fn texts(node: &Node) -> Vec<&str> {
    match &node.value {
        Value::List(nodes) => nodes.iter().filter_map(Node::as_text).collect(),
        _ => node.as_text().into_iter().collect(),
    }
}
