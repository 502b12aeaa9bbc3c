//! Converts `[[event]]` tables to events, and refuses invalid ones.

use std::collections::BTreeMap;
use std::rc::Rc;

use sojourn_core::Duration;

use crate::document::Document;
use crate::event::{Event, Schedule, Setting, sum};
use crate::hint;
use crate::keys::Shape;
use crate::keys::event::{self, Action, Affects};
use crate::path;
use crate::problem::{Problem, Problems};
use crate::resolve;
use crate::scenario::{Resolved, Scenario, Table, WarmUp};
use crate::tree;

/// Occurrences of a periodic event that are compared with other outages of the same thing; later ones repeat them.
const COMPARED: u64 = 10_000;

/// Reads the events of a scenario whose names are checked.
pub(crate) fn check(document: &Document, scenario: &mut Scenario, problems: &mut Problems) {
    let Some(tables) = scenario.many.get(event::TABLE).filter(|tables| !tables.is_empty()) else { return };
    if scenario.is_measurement() {
        let problem = Problem::at(tables[0].place.clone(), "a measurement obeys no [[event]]");
        problems.push(problem.help("events are simulated: describe the network with [[station]]"));
        return;
    }
    let (mut events, mut found) = (Vec::new(), Problems::new());
    for table in tables {
        events.extend(Reader { document, scenario, table }.event(&mut found));
    }
    if found.is_empty() {
        overlaps(scenario, tables, &events, &mut found);
    }
    problems.0.extend(found.0);
    scenario.events = events;
}

struct Reader<'a> {
    document: &'a Document,
    scenario: &'a Scenario,
    table: &'a Table,
}

impl Reader<'_> {
    fn event(&self, problems: &mut Problems) -> Option<Event> {
        // what is missing or refused has been reported
        let word = self.table.optional_word("action")?;
        let action = self.scenario.keys.actions.iter().find(|action| action.word.word == word)?;
        let before = problems.0.len();
        self.affected(action, problems);
        let schedule = self.schedule(action, problems);
        let settings = self.settings(problems);
        let media = self.scenario.many.get("medium").map(Vec::as_slice).unwrap_or_default();
        let names = self.table.words("media");
        let event = Event {
            name: self.table.name().to_owned(),
            action,
            schedule: schedule?,
            stations: self.table.words("stations").iter().flat_map(|name| self.scenario.resolve(name)).collect(),
            media: (0..media.len()).filter(|at| names.contains(&media[*at].name())).collect(),
            flows: self.table.words("flows").iter().map(|name| (*name).to_owned()).collect(),
            size: self.table.optional_integer("size").unwrap_or(1),
            spread: self.table.optional_duration("spread").unwrap_or(Duration::ZERO),
            settings,
        };
        (problems.0.len() == before).then_some(event)
    }

    fn problem(&self, key: &str, message: String) -> Problem {
        Problem::at(self.table.place_of(key), message)
    }

    /// The action has what it acts on, and nothing else.
    fn affected(&self, action: &Action, problems: &mut Problems) {
        let (word, needed) = (action.word.word, action.on.key());
        if !self.table.has(needed) && !self.table.refused.contains(needed) {
            let problem = self.problem("action", format!("event `{}`: \"{word}\" needs `{needed}`", self.table.name()));
            problems.push(problem.help(format!("{word}: {}", action.word.help)));
        }
        for other in [Affects::Stations, Affects::Media, Affects::Flows, Affects::Settings] {
            if other != action.on && self.table.has(other.key()) {
                let message = format!("\"{word}\" takes no `{}`", other.key());
                problems.push(self.problem(other.key(), message).help(format!("it acts on `{needed}`")));
            }
        }
        for (key, takes) in [("size", action.sized), ("spread", action.spread)] {
            if !takes && self.table.changed().any(|entry| entry.key.name == key) {
                problems.push(self.problem(key, format!("\"{word}\" takes no `{key}`")));
            }
        }
    }

    fn schedule(&self, action: &Action, problems: &mut Problems) -> Option<Schedule> {
        let table = self.table;
        let span = |key: &str| table.optional_duration(key);
        match (table.has("at"), span("mean_time_between")) {
            (true, Some(_)) => {
                let problem =
                    self.problem("mean_time_between", "both `at` and `mean_time_between` are given".to_owned());
                problems.push(problem.help("write one of them"));
                None
            }
            (false, None) => {
                if !table.refused.contains("at") && !table.refused.contains("mean_time_between") {
                    let message = format!("event `{}` has no time", table.name());
                    problems.push(self.problem("name", message).help("write `at`, or `mean_time_between`"));
                }
                None
            }
            (false, Some(between)) => self.failures(action, between, problems),
            (true, None) => self.known(action, problems),
        }
    }

    fn failures(&self, action: &Action, between: Duration, problems: &mut Problems) -> Option<Schedule> {
        if let Some(key) = ["every", "until", "duration"].into_iter().find(|key| self.table.has(key)) {
            let problem = self.problem(key, format!("`{key}` goes with `at`, not with `mean_time_between`"));
            problems.push(problem.help("`mean_time_to_repair` says how long a failure lasts"));
            return None;
        }
        let Some(repair) = self.table.optional_duration("mean_time_to_repair") else {
            if !self.table.refused.contains("mean_time_to_repair") {
                let problem =
                    self.problem("mean_time_between", "a random failure needs `mean_time_to_repair`".to_owned());
                problems.push(problem.help("the mean time from a failure to its end"));
            }
            return None;
        };
        if action.ended_by.is_none() {
            problems.push(self.endless(action, "mean_time_to_repair"));
            return None;
        }
        self.after_warm_up(None, problems);
        Some(Schedule::Failures { between, repair })
    }

    fn known(&self, action: &Action, problems: &mut Problems) -> Option<Schedule> {
        if self.table.has("mean_time_to_repair") {
            let problem =
                self.problem("mean_time_to_repair", "`mean_time_to_repair` goes with `mean_time_between`".to_owned());
            problems.push(problem.help("`duration` or `until` ends an event at a known time"));
            return None;
        }
        let mut begins = self.table.durations("at");
        begins.sort_unstable();
        let period = self.table.optional_duration("every");
        if begins.len() > 1 && period.is_some() {
            let problem = self.problem("every", "`every` repeats one time, and `at` is a list".to_owned());
            problems.push(problem.help("write an [[event]] for each"));
            return None;
        }
        let lasts = self.lasts(action, &begins, problems)?;
        self.after_warm_up(Some(&begins), problems);
        let gap = begins.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).min();
        if let (Some(gap), Some(lasts)) = (period.or(gap), lasts)
            && gap < lasts
        {
            let key = if self.table.has("until") { "until" } else { "duration" };
            let message = format!("event `{}` begins again before it has ended", self.table.name());
            problems
                .push(self.problem(key, message).help("one after the other: shorten it, or leave more time between"));
            return None;
        }
        Some(match period {
            Some(period) => Schedule::Every { first: begins[0], period, lasts },
            None => Schedule::At { begins, lasts },
        })
    }

    /// How long each lasts, from `until` or `duration`; none after a mistake.
    fn lasts(&self, action: &Action, begins: &[Duration], problems: &mut Problems) -> Option<Option<Duration>> {
        let (until, duration) = (self.table.optional_duration("until"), self.table.optional_duration("duration"));
        let written = if until.is_some() { "until" } else { "duration" };
        let problem = match (until, duration) {
            (None, None) => return Some(None),
            _ if action.ended_by.is_none() => self.endless(action, written),
            (Some(_), Some(_)) => {
                self.problem("duration", "both `until` and `duration` are given".to_owned()).help("write one of them")
            }
            (None, Some(duration)) => return Some(Some(duration)),
            (Some(_), None) if begins.len() > 1 || self.table.has("every") => self
                .problem("until", "`until` ends one occurrence, and there are several".to_owned())
                .help("write `duration`: how long each lasts"),
            (Some(until), None) if until <= begins[0] => self
                .problem("until", format!("event `{}` ends before it begins", self.table.name()))
                .help("`until` counts from the start of the run, as `at` does; `duration` from its begin"),
            (Some(until), None) => return Some(Some(until.saturating_sub(begins[0]))),
        };
        problems.push(problem);
        None
    }

    fn endless(&self, action: &Action, key: &str) -> Problem {
        let problem = self.problem(key, format!("\"{}\" happens at once and has no end", action.word.word));
        problem.help(format!("leave out `{key}`"))
    }

    /// The warm-up has a known end, no event is within it, and one at least within the run.
    fn after_warm_up(&self, begins: Option<&[Duration]>, problems: &mut Problems) {
        let run = self.scenario.run();
        let WarmUp::Fixed(warm_up) = run.warm_up else {
            let place = self.scenario.one.get("run").and_then(|run| run.place_of("warm_up"));
            let problem = Problem::at(
                place.or_else(|| self.table.place.clone()),
                "a scenario with events needs a warm-up of known length",
            );
            let problem = problem.help("write [run] and warm_up = \"TIME\": no event may happen within it");
            if !problems.0.contains(&problem) {
                problems.push(problem);
            }
            return;
        };
        let Some(&[first, ..]) = begins else { return };
        if first < warm_up {
            let message = format!("event `{}` at {first} is within the warm-up of {warm_up}", self.table.name());
            problems.push(
                self.problem("at", message).help("what happens there is not observed: move it, or shorten run.warm_up"),
            );
        } else if first >= sum(warm_up, run.duration) {
            let message =
                format!("event `{}` never happens: the run ends at {}", self.table.name(), sum(warm_up, run.duration));
            problems
                .push(self.problem("at", message).help("`at` counts from the start of the run: warm-up and duration"));
        }
    }

    fn settings(&self, problems: &mut Problems) -> Vec<Setting> {
        let Some(Resolved::Settings(entries)) = self.table.get("set").map(|entry| &entry.value) else {
            return Vec::new();
        };
        let mut settings = Vec::new();
        for entry in &entries.0 {
            match self.setting(entry) {
                Ok(setting) => settings.push(setting),
                Err(found) => problems.0.extend(found.0),
            }
        }
        settings
    }

    fn setting(&self, entry: &tree::Entry) -> Result<Setting, Problems> {
        let place = path::unquoted(entry);
        let target = path::locate(self.document, &entry.key, &place)?;
        // no network changes a key deeper than one inline table
        let [outer, inner @ ..] = &target.keys[..] else { unreachable!("a path names a key") };
        if !target.key().changeable || inner.len() > 1 {
            let keys = self.document.keys.tables.iter().flat_map(|table| {
                let inner = table.all().flat_map(|key| std::iter::once(key).chain(key.inner()));
                let place = if table.shape == Shape::Many {
                    format!("[[{}]]", table.name)
                } else {
                    format!("[{}]", table.name)
                };
                inner.filter(|key| key.changeable).map(move |key| format!("{} of {place}", key.name))
            });
            let mut changeable: Vec<String> = keys.collect();
            changeable.dedup();
            let message = format!("`{}` cannot change during a run", entry.key);
            let problem = Problem::at(place, message).help(format!("keys that can: {}", changeable.join(", ")));
            return Err(problem.into());
        }
        let list = self.scenario.many.get(target.table.name).map(Vec::as_slice).unwrap_or_default();
        let member = match &target.name {
            Some(name) => Some(list.iter().position(|table| table.name() == name).ok_or_else(|| {
                let message = format!("there is no {} `{name}`", target.table.name);
                Problem::at(place.clone(), message).maybe_help(hint::suggestion(name, list.iter().map(Table::name)))
            })?),
            None => None,
        };
        let mut found = Problems::new();
        let value = resolve::value(target.key(), &entry.node, &self.document.folder, &mut found);
        if let Some(Resolved::Table(_)) = value {
            let message = format!("`{}` is set to a distribution, and events set values", entry.key);
            return Err(Problem::at(entry.node.place.clone(), message).help("write a time in quotes").into());
        }
        match value {
            Some(value) if found.is_empty() => Ok(Setting {
                table: target.table.name,
                member,
                keys: (outer, inner.first().copied()),
                value,
                place: entry.node.place.clone(),
            }),
            _ => Err(found),
        }
    }
}

/// What can be in one of two states, a station, a medium, a flow: its kind and its name.
type Thing = (&'static str, String);

/// The outages of a thing so far: of which event, and from when until when.
type Outages = Vec<(usize, Rc<[(Duration, Duration)]>)>;

/// Outages of one thing must not overlap: the end of the first would end the second.
fn overlaps(scenario: &Scenario, tables: &[Table], events: &[Event], problems: &mut Problems) {
    let WarmUp::Fixed(warm_up) = scenario.run().warm_up else { return };
    let end = sum(warm_up, scenario.run().duration);
    let mut seen: BTreeMap<Thing, Outages> = BTreeMap::new();
    for (number, event) in events.iter().enumerate() {
        let spans: Rc<[_]> = match event.schedule {
            // at any time, as far as anybody knows
            Schedule::Failures { .. } => [(warm_up, end)].into(),
            _ => {
                event.schedule.known(end, COMPARED).into_iter().filter_map(|(begin, end)| Some((begin, end?))).collect()
            }
        };
        for thing in things(scenario, event, &tables[number]) {
            let others = seen.entry(thing).or_default();
            match others.iter().find(|(_, other)| overlap(other, &spans)) {
                Some((other, _)) => {
                    let message =
                        format!("event `{}` overlaps `{}`, which affects the same", event.name, events[*other].name);
                    let help = "the end of one would end the other: let one follow the other, or make them one event";
                    problems.push(Problem::at(tables[number].place_of(event.action.on.key()), message).help(help));
                    break;
                }
                None => others.push((number, Rc::clone(&spans))),
            }
        }
    }
}

fn things(scenario: &Scenario, event: &Event, table: &Table) -> Vec<Thing> {
    match event.action.on {
        Affects::Stations => {
            let things = |name: &str| -> Vec<Thing> {
                let members = scenario.resolve(name);
                match members.is_empty() {
                    // a word, where there is only one
                    true => vec![("station", name.to_owned())],
                    false => members.map(|member| ("station", member.to_string())).collect(),
                }
            };
            table.words("stations").into_iter().flat_map(things).collect()
        }
        Affects::Media => table.words("media").into_iter().map(|name| ("medium", name.to_owned())).collect(),
        Affects::Flows => event.flows.iter().map(|flow| ("flow", flow.clone())).collect(),
        Affects::Settings => {
            let path = |setting: &Setting| (setting.table, format!("{:?}.{}", setting.member, setting.key_path()));
            event.settings.iter().map(path).collect()
        }
    }
}

/// Whether spans in the order of time have an instant in common; one may begin where another ends.
fn overlap(one: &[(Duration, Duration)], other: &[(Duration, Duration)]) -> bool {
    let (mut at, mut there) = (0, 0);
    while at < one.len() && there < other.len() {
        let ((begin, end), (from, until)) = (one[at], other[there]);
        if begin < until && from < end {
            return true;
        }
        if end <= until { at += 1 } else { there += 1 }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(u64, u64)]) -> Vec<(Duration, Duration)> {
        list.iter().map(|&(from, to)| (Duration::from_secs(from), Duration::from_secs(to))).collect()
    }

    #[test]
    fn spans_overlap_unless_one_begins_where_the_other_ends() {
        assert!(!overlap(&spans(&[(0, 5), (10, 15)]), &spans(&[(5, 10), (15, 20)])));
        assert!(overlap(&spans(&[(0, 5), (10, 15)]), &spans(&[(5, 10), (14, 20)])));
        assert!(overlap(&spans(&[(0, 100)]), &spans(&[(50, 51)])));
    }
}
