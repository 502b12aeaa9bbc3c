//! The shorthands `[channel]`, `[probe]`, `[background]` and the `[station]` table that belongs to them.

use super::{Draft, Drafts};
use crate::document::Document;
use crate::hint;
use crate::keys::{Causes, Key, Preset, Shorthand, TableKeys};
use crate::problem::{Problem, Problems};
use crate::quantity::{self, Dimension, Quantity};
use crate::resolve;
use crate::source::Source;
use crate::tree::{self, Entries, Node, Value};

/// The medium that the table of one uniform medium makes is called like the table.
pub(crate) fn uniform_medium_name(document: &Document) -> Option<&'static str> {
    document.keys.uniform_medium
}

/// Whether a shorthand of the document makes stations.
pub(crate) fn makes_stations(document: &Document) -> bool {
    document.keys.shorthands.iter().any(|shorthand| document.entries.get(shorthand.table).is_some())
}

/// Adds what the shorthand tables of the document stand for.
pub(crate) fn expand(document: &Document, drafts: &mut Drafts, problems: &mut Problems) {
    medium(document, drafts, problems);
    let mut made = Vec::new();
    for shorthand in document.keys.shorthands {
        let Some(node) = document.entries.get(shorthand.table) else { continue };
        let (Some(declared), Some(entries)) =
            (document.keys.table(shorthand.table), super::table(node, shorthand.table, problems))
        else {
            continue;
        };
        let writer = Writer { document, shorthand, declared, entries: &entries };
        made.extend(writer.stations(node, problems));
        let flow = writer.flow(node, problems);
        drafts.many.entry("flow").or_default().push(flow);
    }
    station_table(document, &mut made, problems);
    drafts.many.entry("station").or_default().extend(made);
}

/// `[channel]` is the only medium; with neither it nor `[[medium]]`, the medium has its defaults.
fn medium(document: &Document, drafts: &mut Drafts, problems: &mut Problems) {
    let Some(name) = uniform_medium_name(document) else { return };
    let written = document.entries.find(name);
    let Some(media) = drafts.many.get_mut("medium") else { return };
    if !media.is_empty() {
        if let Some(entry) = written {
            let message = format!("[{name}] is for one uniform medium, and there are [[medium]] tables");
            problems.push(Problem::at(entry.key_place.clone(), message).help("write the keys in each [[medium]]"));
        }
        return;
    }
    let node = written.map(|entry| &entry.node);
    let mut entries = node.and_then(|node| super::table(node, name, problems)).unwrap_or_default();
    if let Some(at) = entries.0.iter().position(|entry| entry.key == "name") {
        let entry = entries.0.remove(at);
        let message = format!("[{name}] has no key `name`");
        problems.push(
            Problem::at(entry.key_place, message)
                .help(format!("the medium it makes is called `{name}`; [[medium]] has names")),
        );
    }
    entries.set("name", None, Node::text(name, None));
    media.push(Draft { place: node.and_then(|node| node.place.clone()), entries, exceptions: Vec::new() });
}

/// One shorthand table that becomes stations and a flow.
struct Writer<'a> {
    document: &'a Document,
    shorthand: &'static Shorthand,
    declared: &'static TableKeys,
    entries: &'a Entries,
}

impl Writer<'_> {
    fn stations(&self, node: &Node, problems: &mut Problems) -> Vec<Draft> {
        let mut stations = Vec::new();
        for (name, count_key) in self.shorthand.stations {
            let mut entries = Entries::default();
            entries.set("name", None, Node::text(*name, None));
            if let Some(count_key) = count_key {
                let count = self.node(count_key);
                let valid = self.declared.find(count_key).is_some_and(|key| self.valid(key, &count, problems));
                entries.set("count", None, if valid { count } else { self.parsed("2") });
            }
            stations.push(Draft { place: node.place.clone(), entries, exceptions: Vec::new() });
        }
        stations
    }

    fn flow(&self, node: &Node, problems: &mut Problems) -> Draft {
        let mut flow = Entries::default();
        let made = |flow: &mut Entries, key: &str, text: &str| flow.set(key, None, Node::text(text, None));
        made(&mut flow, "name", self.shorthand.table);
        made(&mut flow, "from", self.shorthand.stations[0].0);
        made(&mut flow, "to", self.shorthand.to);
        for (key, text) in self.shorthand.fixed {
            flow.set(key, None, self.parsed(text));
        }
        let flow_keys = self.document.keys.table("flow");
        for key in self.declared.all() {
            let belongs = flow_keys.and_then(|table| table.find(key.name));
            let written = self.entries.find(key.name);
            match (belongs, written) {
                (Some(_), Some(entry)) => flow.set(&entry.key, entry.key_place.clone(), entry.node.clone()),
                (Some(flow_key), None) if differs(key, flow_key) => flow.set(key.name, None, self.node(key.name)),
                _ => {}
            }
        }
        self.refuse(problems);
        if let Some((rate, causes)) = self.shorthand.rate {
            // after a mistake any interval will do: the scenario is refused
            let interval = self.interval(rate, causes, node, problems).unwrap_or_else(|| self.parsed("\"1 s\""));
            self.set_interval(&mut flow, interval, rate, problems);
        }
        Draft { place: node.place.clone(), entries: flow, exceptions: Vec::new() }
    }

    /// Keys the shorthand has not, and its own that go into no flow.
    fn refuse(&self, problems: &mut Problems) {
        // the other keys that go into no flow are read where they are used
        if let Some((key, node)) = self.declared.find("counts").zip(self.entries.get("counts")) {
            self.valid(key, node, problems);
        }
        for entry in &self.entries.0 {
            if self.declared.find(&entry.key).is_none() {
                let message = format!("[{}] has no key `{}`", self.shorthand.table, entry.key);
                let names = self.declared.all().map(|key| key.name);
                problems.push(
                    Problem::at(entry.key_place.clone(), message).maybe_help(hint::suggestion(&entry.key, names)),
                );
            }
        }
    }

    fn valid(&self, key: &'static Key, node: &Node, problems: &mut Problems) -> bool {
        resolve::value(key, node, &self.document.folder, problems).is_some()
    }

    /// The interval of each sender from the total rate; `None` after a mistake.
    fn interval(&self, rate: &'static str, causes: Causes, node: &Node, problems: &mut Problems) -> Option<Node> {
        let key = self.declared.find(rate)?;
        let Some(total) = self.entries.get(rate) else {
            let problem = Problem::at(node.place.clone(), format!("[{}] needs `{rate}`", self.shorthand.table));
            problems.push(problem.help(format!("{} Such as {rate} = \"300 /s\"", key.help)));
            return None;
        };
        if !self.valid(key, total, problems) {
            return None;
        }
        let text = |key: &str| match self.node(key).value {
            Value::Text(text) | Value::Integer(text) => Some(text.replace('_', "")),
            Value::Flag(flag) => Some(flag.to_string()),
            _ => None,
        };
        let senders =
            self.shorthand.stations[0].1.and_then(text).and_then(|count| count.parse::<u64>().ok()).unwrap_or(1);
        let exact = Quantity::parse(total.as_text().unwrap_or_default(), Dimension::Rate).ok();
        let span = exact.and_then(|rate| rate.interval(senders.saturating_mul(causes(&text))));
        if let Some(span) = span.filter(|span| span.picoseconds() > 0) {
            return Some(Node::text(quantity::duration_text(span), total.place.clone()));
        }
        let message = format!("`{rate}` leaves each sender no time between two messages, or more than 200 days");
        problems.push(Problem::at(total.place.clone(), message));
        None
    }

    fn set_interval(&self, flow: &mut Entries, interval: Node, rate: &str, problems: &mut Problems) {
        let mut arrivals = flow.get("arrivals").cloned().unwrap_or_else(|| self.node("arrivals"));
        // anything else is refused where the value is read
        if let Value::Table(entries) = &mut arrivals.value {
            for own in ["interval", "rate"] {
                if let Some(entry) = entries.find(own) {
                    let message = format!("the pace of [{}] follows from `{rate}`", self.shorthand.table);
                    problems.push(Problem::at(entry.key_place.clone(), message).help(format!("leave `{own}` out")));
                }
            }
            let kind = entries.get("kind").and_then(Node::as_text).unwrap_or_default();
            if matches!(kind, "empirical" | "saturating" | "heartbeat" | "poll" | "trace") {
                let message = format!("[{}] has a `{rate}`, and {kind} arrivals have none", self.shorthand.table);
                problems
                    .push(Problem::at(arrivals.place.clone(), message).help(
                        "kinds with a rate: poisson, periodic, normal, gamma, lognormal, weibull, burst, on-off",
                    ));
            }
            entries.set("interval", None, interval);
        }
        flow.set("arrivals", None, arrivals);
    }

    /// A key's value as written, or its default.
    fn node(&self, key: &str) -> Node {
        if let Some(node) = self.entries.get(key) {
            return node.clone();
        }
        match self.declared.find(key).map(|key| key.preset) {
            Some(Preset::Value(text)) => self.parsed(text),
            _ => Node::text("", None),
        }
    }

    /// A declared text as a node that stands nowhere.
    fn parsed(&self, text: &str) -> Node {
        nowhere(tree::value(text, &Source::new("declaration", text), 0))
    }
}

/// Whether a shorthand's key has another default than the flow's.
fn differs(shorthand: &Key, flow: &Key) -> bool {
    match (shorthand.preset, flow.preset) {
        (Preset::Value(a), Preset::Value(b)) => a != b,
        (Preset::Value(_), _) => true,
        _ => false,
    }
}

fn nowhere(node: Node) -> Node {
    let value = match node.value {
        Value::Table(entries) => {
            let strip = |entry: tree::Entry| tree::Entry { key_place: None, node: nowhere(entry.node), ..entry };
            Value::Table(Entries(entries.0.into_iter().map(strip).collect()))
        }
        Value::List(nodes) => Value::List(nodes.into_iter().map(nowhere).collect()),
        other => other,
    };
    Node { value, place: None }
}

/// `[station]`: keys for all made stations, and `[station.NAME]` for one of them.
fn station_table(document: &Document, made: &mut [Draft], problems: &mut Problems) {
    let (Some(node), Some(declared)) = (document.entries.get("station"), document.keys.table("station")) else {
        return;
    };
    let Some(entries) = node.as_table() else { return };
    for entry in entries.0.iter().filter(|entry| !is_member_table(declared, entry)) {
        for station in made.iter_mut() {
            if !matches!(entry.key.as_str(), "name" | "count") {
                station.entries.set(&entry.key, entry.key_place.clone(), entry.node.clone());
            }
        }
        if matches!(entry.key.as_str(), "name" | "count") {
            let message = format!("[station] has no key `{}`: its stations come from shorthand tables", entry.key);
            problems
                .push(Problem::at(entry.key_place.clone(), message).help("write [[station]] for stations of your own"));
        }
    }
    for entry in entries.0.iter().filter(|entry| is_member_table(declared, entry)) {
        one_station(entry, declared, made, problems);
    }
}

fn is_member_table(declared: &TableKeys, entry: &tree::Entry) -> bool {
    entry.node.as_table().is_some() && declared.find(&entry.key).is_none_or(|key| key.inner().is_empty())
}

fn one_station(entry: &tree::Entry, declared: &TableKeys, made: &mut [Draft], problems: &mut Problems) {
    let Some(own) = entry.node.as_table() else { return };
    let names: Vec<String> =
        made.iter().filter_map(|station| Some(station.entries.get("name")?.as_text()?.to_owned())).collect();
    if let Some(at) = names.iter().position(|name| *name == entry.key) {
        for key in &own.0 {
            if key.key == "name" {
                let message = format!("station `{}` is made by a shorthand table and keeps its name", entry.key);
                problems.push(
                    Problem::at(key.key_place.clone(), message).help("write [[station]] for stations of your own"),
                );
                continue;
            }
            made[at].entries.set(&key.key, key.key_place.clone(), key.node.clone());
        }
        return;
    }
    let base = entry.key.rsplit_once('-').map(|(base, _)| base);
    if let Some(at) = names.iter().position(|name| Some(name.as_str()) == base) {
        made[at].exceptions.push((entry.key.clone(), entry.key_place.clone(), own.clone()));
        return;
    }
    let message = format!("there is no station `{}`", entry.key);
    let known = names
        .iter()
        .map(String::as_str)
        .chain(declared.all().filter(|key| !key.inner().is_empty()).map(|key| key.name));
    let help = hint::suggestion(&entry.key, known.collect::<Vec<_>>());
    problems.push(Problem::at(entry.key_place.clone(), message).maybe_help(help));
}
