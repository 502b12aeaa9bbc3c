//! Constraints of signal levels and fading on radio channels.

use std::collections::BTreeMap;

use sojourn_scenario::{Member, Problem, Scenario, Table};

/// Stations on a medium that keeps something for each pair of them: half a million paths.
const MOST_STATIONS: usize = 1000;
/// Keys that keep something for each pair of stations.
const OF_PAIRS: [&str; 2] = ["capture_ratio", "fading"];

/// Adds a problem for each constraint that is violated.
pub fn check(scenario: &Scenario, found: &mut Vec<Problem>) {
    let before = found.len();
    let members = scenario.members();
    for medium in scenario.list("medium").iter().filter(|medium| medium.word_is("type", "radio")) {
        if let Some(key) = OF_PAIRS.into_iter().find(|key| medium.has(key)) {
            stations(scenario, &members, medium, key, found);
        }
    }
    // pairs are few enough to go through only on such media
    if found.len() > before {
        return;
    }
    let mut losses = BTreeMap::new();
    for table in scenario.list("path_loss") {
        if let Err(problem) = path_loss(scenario, &members, table, &mut losses) {
            found.push(problem);
        }
    }
}

/// Something is kept for each pair of the stations on a medium.
fn stations(scenario: &Scenario, members: &[Member<'_>], medium: &Table, key: &str, found: &mut Vec<Problem>) {
    let stations = members.iter().filter(|member| member.station.words("on").contains(&medium.name())).count();
    if stations > MOST_STATIONS {
        let message = format!("`{}` has {stations} stations; with `{key}` it can have {MOST_STATIONS}", medium.name());
        found.push(scenario.problem(medium, key, message, Some("something is kept for each pair of them".to_owned())));
    }
}

/// The loss of each pair of stations so far, and the table that gives it.
type Losses<'s> = BTreeMap<(usize, usize), (f64, &'s str)>;

/// A loss is between two stations that hear each other on a channel where it matters, and the same in both directions.
fn path_loss<'s>(
    scenario: &'s Scenario,
    members: &[Member<'_>],
    table: &'s Table,
    losses: &mut Losses<'s>,
) -> Result<(), Problem> {
    let problem = |key: &str, message: String, help: &str| scenario.problem(table, key, message, Some(help.to_owned()));
    let names = table.words("between");
    let [one, other] = names[..] else {
        // a list that was refused is empty
        let Some(count) = Some(names.len()).filter(|count| *count > 0) else { return Ok(()) };
        let message = format!("a path is between two stations, and `between` names {count}");
        return Err(problem("between", message, "write between = [\"one\", \"other\"]"));
    };
    let Some(loss) = table.optional_number("loss") else { return Ok(()) };
    let ends = [one, other].map(|name| scenario.resolve(name));
    let [first, second] = ends.clone().map(|end| end.into_iter().next());
    let (Some(first), Some(second)) = (first, second) else { return Ok(()) };
    let shared = |medium: &&Table| {
        [first, second].iter().all(|end| members[*end].station.words("on").contains(&medium.name()))
            && medium.word_is("type", "radio")
    };
    let media: Vec<&Table> = scenario.list("medium").iter().filter(shared).collect();
    if media.is_empty() {
        let message = format!("`{one}` and `{other}` share no radio channel");
        return Err(problem("between", message, "path loss is of a radio channel that both are on"));
    }
    if !media.iter().any(|medium| medium.has("capture_ratio")) {
        let message = format!("levels do not matter on `{}`: it has no capture_ratio", media[0].name());
        return Err(problem(
            "loss",
            message,
            "write capture_ratio = \"8 dB\" there: which difference a receiver needs",
        ));
    }
    let mut any = false;
    for (a, b) in ends[0].clone().flat_map(|a| ends[1].clone().map(move |b| (a, b))).filter(|(a, b)| a != b) {
        any = true;
        let names = [a, b].map(|end| &members[end].name);
        if !hears(scenario, members, a, b) && !hears(scenario, members, b, a) {
            let message = format!("`{}` and `{}` do not hear each other", names[0], names[1]);
            return Err(problem("between", message, "by their `hears` there is no path between them"));
        }
        let known = losses.insert((a.min(b), a.max(b)), (loss, table.name()));
        if let Some((before, earlier)) = known.filter(|(before, _)| *before != loss) {
            let message = format!(
                "between `{}` and `{}` the loss is {before} dB in `{earlier}`, not {loss} dB",
                names[0], names[1]
            );
            let help = "path loss is the same in both directions (reciprocity); stations differ by transmit_power";
            return Err(problem("loss", message, help));
        }
    }
    if !any {
        return Err(problem("between", format!("`{one}` has no path to itself"), "name two stations"));
    }
    Ok(())
}

fn hears(scenario: &Scenario, members: &[Member<'_>], listener: usize, sender: usize) -> bool {
    let words = members[listener].station.words("hears");
    words.iter().any(|name| *name == "everyone" || scenario.resolve(name).contains(&sender))
}
