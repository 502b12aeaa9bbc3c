//! Checks between the keys of a monitor.

use crate::expect::Expectation;
use crate::keys::live::monitor::{TABLE, TARGETS};
use crate::{Problem, Scenario, Table};

/// Adds what does not hold of `[monitor]` and `[[target]]`.
pub fn check(scenario: &Scenario, found: &mut Vec<Problem>) {
    let targets = scenario.list(TARGETS);
    if targets.is_empty() {
        return;
    }
    if !scenario.is_measurement() {
        let problem = Problem::at(targets[0].place.clone(), "a scenario with stations has no targets");
        found.push(problem.help("write the monitor as a document of its own: `sojourn new monitor`"));
    }
    for (name, table) in [("measure", scenario.table("measure")), ("probe", scenario.table("probe"))] {
        if let Some(entry) = table.changed().next() {
            let message = format!("[{name}] has no effect on targets");
            found.push(Problem::at(entry.place.clone(), message).help("write it as a key of each [[target]]"));
        }
    }
    for target in targets {
        loads(scenario, target, found);
        for condition in conditions(target) {
            found.extend(condition.err());
        }
    }
}

/// The conditions of a target; a mistake has its place in the document.
pub fn conditions(target: &Table) -> Vec<Result<Expectation, Problem>> {
    let place = target.place_of("expect");
    let read = |text: &str| {
        Expectation::parse(text).map(|condition| Expectation { place: place.clone(), ..condition }).map_err(
            |mistakes| {
                let first = mistakes.0.into_iter().next();
                let (message, help) = first.map_or_else(Default::default, |problem| (problem.message, problem.help));
                Problem::at(place.clone(), format!("`{text}`: {message}")).maybe_help(help)
            },
        )
    };
    target.words("expect").into_iter().map(read).collect()
}

fn loads(scenario: &Scenario, target: &Table, found: &mut Vec<Problem>) {
    let Some(every) = target.optional_duration("load_every") else {
        if target.changed().any(|entry| entry.key.name == "load_duration") {
            let help = Some("load_every = \"1 h\"".to_owned());
            found.push(scenario.problem(target, "load_duration", "there is no load without `load_every`", help));
        }
        return;
    };
    let window = scenario.table(TABLE).duration("window");
    if scenario.list("load").is_empty() {
        let help = Some("[[load]], with transport and streams".to_owned());
        found.push(scenario.problem(target, "load_every", "the document has no [[load]]", help));
    }
    if every <= target.duration("load_duration") + window {
        let message = "the path would always be loaded: the load lasts as long, to the end of a window";
        found.push(scenario.problem(target, "load_every", message, None));
    }
}
