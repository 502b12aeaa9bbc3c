//! `check --expand`: a scenario with every key written out, and the source of its value.

use std::fmt::Write;

use crate::changes;
use crate::keys::common::PROFILE;
use crate::keys::{Key, Kind, Preset, Shape};
use crate::question;
use crate::scenario::{Entry, Origin, Resolved, Scenario, Table};
use crate::tree::{bare_or_quoted, quoted};

/// Comments begin here where the line leaves room.
const COMMENT_COLUMN: usize = 44;

impl Scenario {
    /// A valid scenario in full form with the same results, every default with its source as a comment.
    pub fn expanded_toml(&self) -> String {
        let mut text = String::new();
        if !self.title.is_empty() {
            line(&mut text, &format!("title = {}", quoted(&self.title)), "");
        }
        for declared in self.keys.tables {
            match declared.shape {
                _ if declared.name == question::TABLE && self.lasting_question().is_none() => {}
                _ if declared.name == changes::TABLE && !self.options.iter().all(|option| self.is_lasting(option)) => {}
                Shape::One if declared.is_live() && self.table(declared.name).place.is_none() => {}
                Shape::One => {
                    table(&mut text, &format!("[{}]", declared.name), declared.name, self.table(declared.name))
                }
                Shape::Many => {
                    for member in self.list(declared.name) {
                        table(&mut text, &format!("[[{}]]", declared.name), declared.name, member);
                        members(&mut text, declared.name, member);
                    }
                }
                Shape::Shorthand => {}
            }
        }
        if !self.expectations.is_empty() {
            header(&mut text, "[expect]");
            for expectation in &self.expectations {
                let (name, condition) = expectation.text.split_once(' ').unwrap_or((&expectation.text, ""));
                line(&mut text, &format!("{} = {}", quoted(name), quoted(condition)), "");
            }
        }
        text
    }
}

fn header(text: &mut String, header: &str) {
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}{header}");
}

fn line(text: &mut String, content: &str, comment: &str) {
    let _ = match comment {
        "" => writeln!(text, "{content}"),
        _ => writeln!(text, "{content:<COMMENT_COLUMN$} # {comment}"),
    };
}

fn table(text: &mut String, head: &str, path: &str, table: &Table) {
    header(text, head);
    write(text, path, table.entries());
}

/// Plain keys first, then inline tables as tables of their own. A parameter set is left out, since its values are written.
fn write(text: &mut String, path: &str, entries: Vec<&Entry>) {
    let is_set = |key: &Key| key.name == PROFILE.name && matches!(key.kind, Kind::Text);
    let entries: Vec<&Entry> = entries.into_iter().filter(|entry| !is_set(entry.key)).collect();
    for entry in &entries {
        if !matches!(entry.value, Resolved::Table(_)) {
            line(text, &format!("{} = {}", entry.key.name, written(entry)), &comment(entry));
        }
    }
    for entry in &entries {
        if let Resolved::Table(inner) = &entry.value {
            let path = format!("{path}.{}", entry.key.name);
            table(text, &format!("[{path}]"), &path, inner);
        }
    }
}

/// Members of a counted station that differ: only what differs.
fn members(text: &mut String, path: &str, station: &Table) {
    for (number, member) in &station.exceptions {
        let differing = member.entries().into_iter().filter(|entry| {
            let own = entry.value.to_json();
            station.get(entry.key.name).is_none_or(|entry| entry.value.to_json() != own)
        });
        let path = format!("{path}.member.{}", bare_or_quoted(&station.member_name(*number)));
        header(text, &format!("[{path}]"));
        write(text, &path, differing.collect());
    }
}

fn written(entry: &Entry) -> String {
    match &entry.value {
        // relative to whatever file the expanded text is saved in, a path must be absolute
        Resolved::File(path, _) => quoted(path),
        _ => entry.text.clone(),
    }
}

fn comment(entry: &Entry) -> String {
    match &entry.origin {
        Origin::Written => String::new(),
        Origin::Profile(name) => format!("profile {name}"),
        Origin::Made => "follows from the shorthand or other keys".to_owned(),
        Origin::Default => match (entry.key.preset, entry.key.source) {
            (Preset::By(other, _), source) => format!("default of {other}; {source}"),
            (_, "") => "default".to_owned(),
            (_, source) => format!("default; {source}"),
        },
    }
}
