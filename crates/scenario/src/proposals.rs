//! Options that a network proposes where a scenario has none of its own.

use std::collections::BTreeSet;

use crate::assemble::check;
use crate::design_option::DesignOption;
use crate::document::Document;
use crate::keys::{Shape, To, Tunable, Whose};
use crate::scenario::Scenario;
use crate::tree::Node;

/// A key is changed in one table after the other where these are at most this many, else in all together.
const FEW: usize = 6;
/// No more are proposed.
const MOST: usize = 40;

impl Document {
    /// The changes that its network declares, each as an option: those that it takes, and that change something.
    pub fn proposals(&self) -> Vec<DesignOption> {
        let Ok(scenario) = check(self) else { return Vec::new() };
        let mut seen = BTreeSet::from([scenario.canonical_json()]);
        let proposed = self.keys.tunables.iter().flat_map(|tunable| self.proposed(tunable, &scenario));
        proposed.filter(|option| self.with(option).is_some_and(|changed| seen.insert(changed))).take(MOST).collect()
    }

    /// The canonical form of the scenario with an option; `None` where it does not take it.
    fn with(&self, option: &DesignOption) -> Option<String> {
        let mut changed = self.clone();
        for (path, setting) in &option.set {
            changed.set(path, &setting.text, &setting.text).ok()?;
        }
        check(&changed).ok().map(|scenario| scenario.canonical_json())
    }

    fn proposed(&self, tunable: &Tunable, scenario: &Scenario) -> Vec<DesignOption> {
        let option = |(path, of): &(String, Option<String>)| {
            let named = move |text: String| {
                let set = vec![(path.clone(), self.setting(path, &text, &text).ok()?)];
                let name = called(tunable.name, &text, of.as_deref());
                Some(DesignOption { name, set, cost: None, with: Vec::new(), not_with: Vec::new(), place: None })
            };
            self.values(tunable, path).into_iter().filter_map(named).collect::<Vec<_>>()
        };
        self.paths(tunable, scenario).iter().flat_map(option).collect()
    }

    /// The paths of the key, each with the table of a list that it is of.
    fn paths(&self, tunable: &Tunable, scenario: &Scenario) -> Vec<(String, Option<String>)> {
        let Tunable { table, key, whose, .. } = *tunable;
        let Some(declared) = self.keys.table(table) else { return Vec::new() };
        let all = (format!("{table}.{key}"), None);
        match declared.shape {
            Shape::One => vec![all],
            Shape::Shorthand if self.entries.get(table).is_some() => vec![all],
            Shape::Shorthand => Vec::new(),
            Shape::Many => {
                let probed = |name: &&str| {
                    whose != Whose::Probed || scenario.flow_named(name).is_some_and(|flow| flow.flag("probe"))
                };
                let nodes = self.entries.get(table).and_then(Node::as_list).unwrap_or_default();
                let written = nodes.iter().filter_map(|node| node.as_table()?.get("name")?.as_text());
                let names: Vec<&str> = written.filter(probed).collect();
                if nodes.is_empty() {
                    return Vec::new();
                }
                match names.len() {
                    1..=FEW if whose != Whose::All && nodes.len() > 1 => {
                        let one = |name: &&str| (format!("{table}.{name}.{key}"), Some((*name).to_owned()));
                        names.iter().map(one).collect()
                    }
                    _ => vec![all],
                }
            }
        }
    }

    /// The values that are tried, as they are written.
    fn values(&self, tunable: &Tunable, path: &str) -> Vec<String> {
        let times = match tunable.to {
            To::Values(values) => return values.iter().map(|text| (*text).to_owned()).collect(),
            To::Times(times) => times,
        };
        let Ok(parameter) = self.parameter(path) else { return Vec::new() };
        let [now] = parameter.values[..] else { return Vec::new() };
        let moved = |times: &f64| {
            let value = if parameter.whole { (now * times).round() } else { now * times };
            let value = value.max(parameter.low.unwrap_or(value)).min(parameter.high.unwrap_or(value));
            (value != now).then(|| parameter.written(value))
        };
        times.iter().filter_map(moved).collect()
    }
}

/// The name of a change: `window 7`, `transaction-timer 96 ms of commands`, `priority of alarm`.
fn called(change: &str, value: &str, of: Option<&str>) -> String {
    let value = if value == "true" { String::new() } else { format!(" {value}") };
    let of = of.map_or_else(String::new, |name| format!(" of {name}"));
    format!("{change}{value}{of}")
}
