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
            let values = self.values(tunable, path);
            let is_one = values.len() == 1;
            let named = move |(called, text): (String, String)| {
                let parts = [Some(tunable.name.to_owned()), (!is_one).then_some(called), of.clone()];
                let set = vec![(path.clone(), self.setting(path, &text, &text).ok()?)];
                let name = parts.into_iter().flatten().collect::<Vec<_>>().join("-");
                Some(DesignOption { name, set, cost: None, with: Vec::new(), not_with: Vec::new(), place: None })
            };
            values.into_iter().filter_map(named).collect::<Vec<_>>()
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

    /// The values that are tried: what each is called, and its text.
    fn values(&self, tunable: &Tunable, path: &str) -> Vec<(String, String)> {
        let times = match tunable.to {
            To::Values(values) => {
                let called = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
                return values.iter().map(|text| (called(text), (*text).to_owned())).collect();
            }
            To::Times(times) => times,
        };
        let Ok(parameter) = self.parameter(path) else { return Vec::new() };
        let [now] = parameter.values[..] else { return Vec::new() };
        let moved = |times: &f64| {
            let value = if parameter.whole { (now * times).round() } else { now * times };
            let value = value.max(parameter.low.unwrap_or(value)).min(parameter.high.unwrap_or(value));
            let unit = if parameter.suffix.is_empty() { String::new() } else { format!(" {}", parameter.suffix) };
            (value != now).then(|| (factor(*times), format!("{value}{unit}")))
        };
        times.iter().filter_map(moved).collect()
    }
}

/// A factor as part of a name.
fn factor(times: f64) -> String {
    if times >= 1.0 { format!("{times}-fold") } else { format!("{}-percent", times * 100.0) }
}
