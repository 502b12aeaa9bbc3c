//! The declarations of a network: its tables, shorthands and everything else it declares.

use super::event::Action;
use super::key::{Key, ObeyedBy};
use crate::problem::Problems;
use crate::scenario::Scenario;

/// A table of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct TableKeys {
    /// Its name, as in `[name]` or `[[name]]`.
    pub name: &'static str,
    /// How often and in which form it appears.
    pub shape: Shape,
    /// Its keys, in the order they print.
    pub keys: &'static [&'static [Key]],
    /// What it means, in one sentence.
    pub help: &'static str,
}

/// How a table appears in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `[name]`, once, with defaults when it is not written.
    One,
    /// `[[name]]`, any number of times.
    Many,
    /// `[name]`, written only: it expands into others.
    Shorthand,
}

impl TableKeys {
    /// All keys in order.
    pub fn all(&self) -> impl Iterator<Item = &'static Key> + Clone + use<> {
        self.keys.iter().flat_map(|list| list.iter())
    }

    /// Whether only real networks obey it: no simulation depends on it.
    pub fn is_live(&self) -> bool {
        self.all().all(|key| key.world == ObeyedBy::Live)
    }

    /// A key by name.
    pub fn find(&self, name: &str) -> Option<&'static Key> {
        self.all().find(|key| key.name == name)
    }
}

/// All a network declares.
#[derive(Clone, Copy, Debug)]
pub struct NetworkKeys {
    /// The word of `kind = "..."`.
    pub kind: &'static str,
    /// What others call it, in lower case.
    pub also_called: &'static [&'static str],
    /// What it means, in one sentence.
    pub help: &'static str,
    /// Its tables in the order they print; shorthands last.
    pub tables: &'static [TableKeys],
    /// What its shorthand tables make.
    pub shorthands: &'static [Shorthand],
    /// The table that holds the keys of one uniform medium (`channel`), if it has media.
    pub uniform_medium: Option<&'static str>,
    /// What `sojourn new` shows: a scenario that runs; each key gets its comment from its declaration.
    pub template: &'static str,
    /// Measurements of real networks with these keys, which `sojourn new` shows as well.
    pub measurements: &'static [Measurement],
    /// What an `[[event]]` of it can do.
    pub actions: &'static [Action],
    /// Lists that came after scenarios were first named by their contents: left out of the name where they are empty.
    pub unnamed_if_empty: &'static [&'static str],
    /// What a designer may change: what `sojourn advise` tries where a scenario has no options of its own.
    pub tunables: &'static [Tunable],
    /// Checks that take more than one key, and values that follow from others.
    pub rules: Rules,
}

/// A key that a designer may change.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// What the change is called: letters, digits, - and _.
    pub name: &'static str,
    /// The table that has the key.
    pub table: &'static str,
    /// The key, and those of inline tables that it is in: `queue.kind`.
    pub key: &'static str,
    /// In which tables of a list it is changed.
    pub whose: Whose,
    /// What is tried.
    pub to: To,
}

/// The tables of a list in which a key is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// In one after the other, where there are few.
    Each,
    /// In the flows that are probed.
    Probed,
    /// In all together.
    All,
}

/// The values that are tried.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// These.
    Values(&'static [&'static str]),
    /// The present one, times these.
    Times(&'static [f64]),
}

/// A change of a key to each of these values.
pub const fn tunable(
    name: &'static str,
    table: &'static str,
    key: &'static str,
    whose: Whose,
    to: &'static [&'static str],
) -> Tunable {
    Tunable { name, table, key, whose, to: To::Values(to) }
}

/// A change of a key to its present value times each of these.
pub const fn scaled(
    name: &'static str,
    table: &'static str,
    key: &'static str,
    whose: Whose,
    times: &'static [f64],
) -> Tunable {
    Tunable { name, table, key, whose, to: To::Times(times) }
}

/// Checks that take more than one key, and values that follow from others.
pub type Rules = fn(&mut Scenario, &mut Problems);

/// A measurement of a real network that `sojourn new` shows.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// Its name.
    pub name: &'static str,
    /// Its document; each key gets its comment from its declaration.
    pub template: &'static str,
}

/// A table that stands for stations and one flow between them.
#[derive(Clone, Copy, Debug)]
pub struct Shorthand {
    /// The table's and the flow's name.
    pub table: &'static str,
    /// The stations it makes: a name, and the key of their number (one, without).
    pub stations: &'static [(&'static str, Option<&'static str>)],
    /// Value of the flow's key `to`.
    pub to: &'static str,
    /// Values the flow has that are not in the table.
    pub fixed: &'static [(&'static str, &'static str)],
    /// A key that holds the flow's total rate, and how many of what it counts one message causes.
    pub rate: Option<(&'static str, Causes)>,
}

/// How many of what a shorthand's rate counts one message causes, from the words and numbers of the table.
pub type Causes = fn(&dyn Fn(&str) -> Option<String>) -> u64;

impl NetworkKeys {
    /// A table by name.
    pub fn table(&self, name: &str) -> Option<&'static TableKeys> {
        self.tables.iter().find(|table| table.name == name)
    }
}
