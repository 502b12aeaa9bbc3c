//! Converts `[[option]]` tables to options, and refuses invalid ones.

use std::collections::BTreeSet;

use crate::design_option::DesignOption;
use crate::document::Document;
use crate::grid;
use crate::hint;
use crate::keys::Shape;
use crate::path;
use crate::problem::{Problem, Problems};
use crate::scenario::{Resolved, Scenario, Table};
use crate::setting::Setting;
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Entry, Node, Value};

/// The table's name.
pub(crate) const TABLE: &str = "option";

impl Scenario {
    /// What may be changed.
    pub fn options(&self) -> &[DesignOption] {
        &self.options
    }

    /// Whether the expanded scenario still has the keys that an option sets: shorthand tables are gone from there.
    pub(crate) fn is_lasting(&self, option: &DesignOption) -> bool {
        option.set.iter().all(|(path, _)| {
            let table = path.split('.').next().and_then(|name| self.keys.table(name));
            table.is_some_and(|table| table.shape != Shape::Shorthand)
        })
    }
}

impl Document {
    /// Adds an option as an argument of the command line has it: `NAME: KEY=VALUE, KEY=VALUE, cost=NUMBER`.
    pub fn add_option(&mut self, argument: &str) -> Result<(), Problems> {
        let source = Source::new(crate::problem::ARGUMENT, argument);
        let whole = Some(Place::new(&source, 0..argument.len()));
        let Some((name, changes)) = argument.split_once(':') else {
            let problem = Problem::at(whole, "an option is NAME: KEY=VALUE, KEY=VALUE");
            return Err(problem.help("such as 'priority: flow.alarm.priority=true'").into());
        };
        let mut own = Entries::default();
        own.set("name", whole.clone(), Node::text(name.trim(), Place::of_text(&source, name.trim(), Some(0))));
        let mut settings = Entries::default();
        let mut problems = Problems::new();
        for span in grid::separated(changes) {
            let (from, part) = (name.len() + 1 + span.start, &changes[span]);
            let Some((key, value)) = part.split_once('=') else {
                let place = Some(Place::new(&source, from..from + part.len()));
                problems.push(Problem::at(place, "expected KEY=VALUE").help("commas separate the keys of one option"));
                continue;
            };
            let indented = key.len() - key.trim_start().len();
            let place = Place::of_text(&source, key.trim(), Some(from + indented));
            let at = from + key.len() + 1;
            let node = tree::value(value, &source, at);
            match key.trim() {
                "cost" => own.set("cost", place, node),
                path => settings.set(path, place, node),
            }
        }
        own.set("set", whole.clone(), Node { value: Value::Table(settings), place: whole.clone() });
        self.push(TABLE, own, whole);
        problems.or(())
    }
}

/// Reads the options of a scenario whose names are checked.
pub(crate) fn check(document: &Document, scenario: &mut Scenario, problems: &mut Problems) {
    let Some(tables) = scenario.many.get(TABLE).filter(|tables| !tables.is_empty()) else { return };
    if scenario.is_measurement() {
        let problem = Problem::at(tables[0].place.clone(), "a measurement has no [[option]]");
        problems.push(problem.help("options are simulated: describe the network with [[station]]"));
        return;
    }
    let names: BTreeSet<&str> = tables.iter().map(Table::name).collect();
    let options = tables.iter().map(|table| read(document, table, &names, problems)).collect();
    scenario.options = options;
}

fn read(document: &Document, table: &Table, names: &BTreeSet<&str>, problems: &mut Problems) -> DesignOption {
    let mut set = Vec::new();
    if let Some(Resolved::Settings(entries)) = table.get("set").map(|entry| &entry.value) {
        for entry in &entries.0 {
            match setting(document, entry) {
                Ok(setting) => set.push((entry.key.clone(), setting)),
                Err(found) => problems.0.extend(found.0),
            }
        }
    }
    let mut others = |key: &str| {
        let list: Vec<String> = table.words(key).into_iter().map(str::to_owned).collect();
        for name in list.iter().filter(|name| !names.contains(name.as_str()) || *name == table.name()) {
            let known = names.iter().copied().filter(|known| *known != table.name());
            let problem = Problem::at(table.place_of(key), format!("there is no other option `{name}`"));
            problems.push(problem.maybe_help(hint::suggestion(name, known)));
        }
        list
    };
    let (with, not_with) = (others("with"), others("not_with"));
    let (name, cost) = (table.name().to_owned(), table.optional_number("cost"));
    DesignOption { name, set, cost, with, not_with, place: table.place.clone() }
}

fn setting(document: &Document, entry: &Entry) -> Result<Setting, Problems> {
    let place = path::unquoted(entry);
    let target = path::locate(document, &entry.key, &place)?;
    if target.table.name == TABLE {
        return Err(Problem::at(place, "an option cannot change options").into());
    }
    grid::one(document, target.key(), &entry.node)
}
