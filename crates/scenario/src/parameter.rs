//! A numeric parameter of a scenario that calibration can vary: its unit, range and current value.

use serde::Serialize;

use crate::document::Document;
use crate::edit::value_in;
use crate::grid::dimension;
use crate::keys::{Bounds, Key, Kind, Preset, Shape};
use crate::path::{self, Target};
use crate::problem::{ARGUMENT, Problem, Problems};
use crate::quantity::{Dimension, Quantity};
use crate::scenario::{Scenario, Table};
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Entry, Node, Value};
use crate::units::Unit;
use crate::{assemble, resolve};

/// A number of a scenario, in SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Path of the key, as `background.rate`.
    pub path: String,
    /// The SI unit; `1` for numbers without.
    pub unit: &'static str,
    /// What [`Document::set`] wants behind a number in SI units: `/s`; empty for numbers without unit.
    pub suffix: &'static str,
    /// Smallest value it may have; none when open.
    pub low: Option<f64>,
    /// Largest value it may have; none when open.
    pub high: Option<f64>,
    /// Whether only whole numbers make sense.
    pub whole: bool,
    /// Whether a profile can hold it: it belongs to a kind of thing, not to one member or one scenario's traffic.
    pub in_profiles: bool,
    /// Its values now: none where it is absent, several where members differ.
    pub values: Vec<f64>,
}

impl Parameter {
    /// A value as people write it: in the unit that makes it shortest and changes nothing of it.
    pub fn written(&self, value: f64) -> String {
        if self.suffix.is_empty() {
            return value.to_string();
        }
        let in_unit = |unit: &Unit| {
            let number = value / unit.in_si();
            let rounded: f64 = format!("{number:.8e}").parse().ok()?;
            let is_same = rounded.abs() >= 1.0 && (rounded - number).abs() <= 1e-14 * number.abs();
            is_same.then(|| format!("{rounded} {}", unit.name))
        };
        let dimensions = Dimension::ALL.into_iter().filter(|dimension| dimension.si() == self.unit);
        let written = dimensions.flat_map(Dimension::units).filter_map(in_unit);
        written.min_by_key(|text| text.chars().count()).unwrap_or_else(|| format!("{value} {}", self.suffix))
    }
}

/// Reads what `key_path` names in `document`, which must be right as a whole.
pub(crate) fn parameter(document: &Document, key_path: &str) -> Result<Parameter, Problems> {
    let source = Source::new(ARGUMENT, key_path);
    let place = Place::of_text(&source, key_path, Some(0));
    let target = path::locate(document, key_path, &place).map_err(Problems::from)?;
    let Some(dimension) = dimension(target.key()) else {
        let problem = Problem::at(place, format!("`{key_path}` is not a number"));
        return Err(problem.help("choose a key that is a quantity or a number").into());
    };
    let scenario = assemble::check(document)?;
    let suffix = dimension.units().iter().map(|unit| unit.name).find(|name| dimension.si().ends_with(name));
    let (low, high) = range(target.key(), dimension);
    Ok(Parameter {
        path: key_path.to_owned(),
        unit: dimension.si(),
        suffix: suffix.unwrap_or_default(),
        low,
        high,
        whole: target.key().is_integer(),
        in_profiles: target.name.is_none() && (target.table.shape != Shape::Shorthand || is_uniform(document, &target)),
        values: values(document, &scenario, &target),
    })
}

/// The numbers that the document itself writes of what it simulates, by their paths, in the order written.
pub(crate) fn written_numbers(document: &Document) -> Vec<String> {
    let mut paths = Vec::new();
    for Entry { key, node, .. } in &document.entries.0 {
        let Some(table) = document.keys.table(key).filter(|table| !table.is_live() && table.name != "run") else {
            continue;
        };
        let members: Vec<(String, &Entries)> = match &node.value {
            Value::Table(entries) if table.shape == Shape::Many => entries
                .0
                .iter()
                .filter_map(|member| Some((format!("{key}.{}", member.key), member.node.as_table()?)))
                .collect(),
            Value::Table(entries) => vec![(key.clone(), entries)],
            Value::List(nodes) => {
                let entries = nodes.iter().filter_map(Node::as_table);
                entries.filter_map(|own| Some((format!("{key}.{}", own.get("name")?.as_text()?), own))).collect()
            }
            _ => Vec::new(),
        };
        for (owner, entries) in members {
            numbers_of(&owner, entries, &table.all().collect::<Vec<_>>(), &mut paths);
        }
    }
    paths
}

fn numbers_of(owner: &str, entries: &Entries, keys: &[&'static Key], paths: &mut Vec<String>) {
    for Entry { key: name, node, .. } in &entries.0 {
        let Some(key) = keys.iter().find(|key| key.name == name) else { continue };
        let path = format!("{owner}.{name}");
        match node.as_table() {
            Some(inline) => numbers_of(&path, inline, &key.inner(), paths),
            None if dimension(key).is_some() => paths.push(path),
            None => {}
        }
    }
}

fn range(key: &Key, dimension: Dimension) -> (Option<f64>, Option<f64>) {
    let bound = |text: &str| Quantity::parse(text, dimension).ok().map(Quantity::number);
    let both = |bounds: Bounds| (bound(bounds.low), bound(bounds.high));
    match key.kind {
        Kind::Quantity(_, bounds)
        | Kind::QuantityOr(_, bounds, _)
        | Kind::TimeOrLaw(bounds, _)
        | Kind::Number(bounds) => both(bounds),
        Kind::Integer(low, high) => (Some(low as f64), Some(high as f64)),
        _ => (None, None),
    }
}

/// The different values of all members that the path names, in their order.
fn values(document: &Document, scenario: &Scenario, target: &Target) -> Vec<f64> {
    let table = target.table.name;
    let found: Vec<Option<f64>> = match target.table.shape {
        Shape::One => vec![number(scenario.table(table), target)],
        Shape::Shorthand if is_uniform(document, target) => {
            scenario.list("medium").iter().map(|medium| number(medium, target)).collect()
        }
        Shape::Shorthand => vec![written(document, target).or_else(|| declared(document, target.key()))],
        Shape::Many if table == "station" => {
            let members = scenario.members();
            let named =
                |name: &str, own: &str| target.name.as_deref().is_none_or(|wanted| wanted == name || wanted == own);
            members
                .iter()
                .filter(|member| named(&member.name, member.station.name()))
                .map(|member| number(member.station, target))
                .collect()
        }
        Shape::Many => {
            let named = |table: &&Table| target.name.as_deref().is_none_or(|wanted| wanted == table.name());
            scenario.list(table).iter().filter(named).map(|table| number(table, target)).collect()
        }
    };
    let mut different: Vec<f64> = Vec::new();
    for value in found.into_iter().flatten() {
        if !different.contains(&value) {
            different.push(value);
        }
    }
    different
}

/// Whether the table holds the keys of the one medium.
fn is_uniform(document: &Document, target: &Target) -> bool {
    document.keys.uniform_medium == Some(target.table.name)
}

fn number(table: &Table, target: &Target) -> Option<f64> {
    let (key, outer) = target.keys.split_last()?;
    outer.iter().try_fold(table, |table, key| table.optional_table(key.name))?.optional_number(key.name)
}

/// The value written of a key in a shorthand table, which has no full form of its own.
fn written(document: &Document, target: &Target) -> Option<f64> {
    let table = document.entries.get(target.table.name)?.as_table()?;
    read(document, target.key(), value_in(table, &target.keys)?)
}

fn declared(document: &Document, key: &'static Key) -> Option<f64> {
    let Preset::Value(text) = key.preset else { return None };
    read(document, key, &tree::value(text, &Source::new("declaration", text), 0))
}

fn read(document: &Document, key: &'static Key, node: &Node) -> Option<f64> {
    let found = resolve::value(key, node, &document.folder, &mut Problems::new())?;
    found.to_json().as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(unit: &'static str, suffix: &'static str, value: f64) -> String {
        let open = Parameter {
            path: String::new(),
            unit,
            suffix,
            low: None,
            high: None,
            whole: false,
            in_profiles: true,
            values: Vec::new(),
        };
        open.written(value)
    }

    #[test]
    fn a_value_is_written_in_the_unit_that_makes_it_shortest() {
        let times = [0.05, 1.5, 90.0, 5400.0, 0.000_000_6, 1.0 / 3.0].map(|value| written("s", "s", value));
        assert_eq!(times, ["50 ms", "1.5 s", "90 s", "1.5 h", "600 ns", "0.3333333333333333 s"]);
        let sizes = [2000.0, 2048.0, 1500.0].map(|value| written("B", "B", value));
        assert_eq!(sizes, ["2 kB", "2 KiB", "1500 B"]);
        assert_eq!(written("bit/s", "bit/s", 9.0e6), "9 Mbit/s");
        assert_eq!(written("1/s", "/s", 0.5), "30 /min");
        assert_eq!(written("1", "", 7.0), "7");
    }
}
