//! What must hold between the keys of a Modbus scenario.

use std::collections::BTreeMap;

use sojourn_protocols::modbus::{Function, HIGHEST_UNIT};
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::medium::{OF_LINES, OF_LINKS, TCP};
use crate::requests::function_of;

/// The highest bit rate of a serial line.
const FASTEST_LINE: f64 = 100e6;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    scenario.list("medium").iter().for_each(|medium| self::medium(scenario, medium, &mut found));
    scenario.list("station").iter().for_each(|station| self::station(scenario, station, &mut found));
    units(scenario, &mut found);
    scenario.list("flow").iter().for_each(|flow| self::flow(scenario, flow, &mut found));
    problems.0.extend(found);
}

fn is_tcp(medium: &Table) -> bool {
    medium.word_is("mode", TCP)
}

fn medium(scenario: &Scenario, medium: &Table, found: &mut Vec<Problem>) {
    let (others, whose): (&[&str], _) =
        if is_tcp(medium) { (&OF_LINES, "a serial line") } else { (&OF_LINKS, "links that carry TCP") };
    for entry in medium.changed().filter(|entry| others.contains(&entry.key.name)) {
        let message = format!(
            "`{}` is of {whose}, and `{}` has mode = \"{}\"",
            entry.key.name,
            medium.name(),
            medium.word("mode")
        );
        let help = "nothing would obey it: leave it out".to_owned();
        found.push(scenario.problem(medium, entry.key.name, message, Some(help)));
    }
    if !is_tcp(medium) && medium.optional_number("bit_rate").is_some_and(|rate| rate > FASTEST_LINE) {
        let help = "RS-485 lines of Modbus have 1200 to 115 200 bit/s, some up to 10 Mbit/s".to_owned();
        found.push(scenario.problem(medium, "bit_rate", "no serial line is as fast", Some(help)));
    }
}

/// The media of a station.
fn on<'a>(scenario: &'a Scenario, station: &Table) -> Vec<&'a Table> {
    let names = station.words("on");
    scenario.list("medium").iter().filter(|medium| names.contains(&medium.name())).collect()
}

fn station(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    for table in std::iter::once(station).chain(station.exceptions()) {
        let media = on(scenario, table);
        let (links, lines) = (
            media.iter().filter(|medium| is_tcp(medium)).count(),
            media.iter().filter(|medium| !is_tcp(medium)).count(),
        );
        if links > 1 {
            let help = "links to one switch are one medium; a station is on one of them".to_owned();
            let message = format!("station `{}` is on several media of TCP", station.name());
            found.push(scenario.problem(table, "on", message, Some(help)));
        }
        if lines > 1 && links == 0 {
            let help = "a client on several lines is several stations, one for each; a gateway is also on a medium with mode = \"tcp\"".to_owned();
            let message = format!("station `{}` is on several serial lines", station.name());
            found.push(scenario.problem(table, "on", message, Some(help)));
        }
    }
    let last = station.optional_integer("unit").unwrap_or(1) + u64::from(station.count()) - 1;
    let is_server_of_line = on(scenario, station).iter().any(|medium| !is_tcp(medium));
    if last > u64::from(HIGHEST_UNIT) && is_server_of_line && !station.count_was_refused() {
        let message =
            format!("the last of {} servers from unit {} on has unit {last}", station.count(), station.integer("unit"));
        let help = format!("units of a serial line are 1 to {HIGHEST_UNIT}");
        found.push(scenario.problem(station, "count", message, Some(help)));
    }
}

/// Refuses servers of a serial line that have the same unit.
fn units(scenario: &Scenario, found: &mut Vec<Problem>) {
    let mut taken: BTreeMap<(&str, u64), String> = BTreeMap::new();
    let asked: Vec<usize> = scenario
        .list("flow")
        .iter()
        .flat_map(|flow| flow.words("to").into_iter().flat_map(|name| scenario.resolve(name)).collect::<Vec<_>>())
        .collect();
    for (_, member) in scenario.members().iter().enumerate().filter(|(number, _)| asked.contains(number)) {
        let unit = unit_of(member.station, member.number);
        for medium in on(scenario, member.station).into_iter().filter(|medium| !is_tcp(medium)) {
            if let Some(other) = taken.insert((medium.name(), unit), member.name.clone()) {
                let message = format!("{other} and {} of `{}` both have unit {unit}", member.name, medium.name());
                let help = "two servers that answer one request destroy each other's response: give each its own unit"
                    .to_owned();
                found.push(scenario.problem(member.station, "unit", message, Some(help)));
                return;
            }
        }
    }
}

/// The unit of a member of a station, whose number is from 1 on.
fn unit_of(station: &Table, number: usize) -> u64 {
    station.optional_integer("unit").unwrap_or(1) + number.saturating_sub(1) as u64
}

fn flow(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let Some(word) = flow.optional_word("function") else { return };
    let function = function_of(word);
    let count = flow.optional_integer("count").unwrap_or(1);
    let most = u64::from(most(function));
    if count > most {
        let message = format!("function {} ({word}) takes up to {most} at a time", function.code());
        let help = format!("count = {most}, and further blocks with `blocks`");
        found.push(scenario.problem(flow, "count", message, Some(help)));
    }
    let blocks = flow.optional_integer("blocks").unwrap_or(1);
    let addresses = blocks * (count + flow.optional_integer("gap").unwrap_or(0));
    if addresses > 0x1_0000 {
        let message = format!("{blocks} blocks of {count} and their gaps exceed the 65 536 addresses of a table");
        found.push(scenario.problem(flow, "blocks", message, None));
    }
    let is_merged = flow.has("merge") && flow.flag("merge");
    if is_merged && !function.is_read() {
        let help = "a gap that is written changes what is there: leave `merge` out".to_owned();
        found.push(scenario.problem(flow, "merge", format!("{word} cannot be merged over gaps"), Some(help)));
    }
    if flow.has("broadcast") && flow.flag("broadcast") && !function.is_broadcast() {
        let help =
            "functions that only write are broadcast: write-register, write-registers, write-coil ...".to_owned();
        found.push(scenario.problem(
            flow,
            "broadcast",
            format!("{word} needs an answer and cannot be broadcast"),
            Some(help),
        ));
    }
}

/// The most registers or bits of a block.
fn most(function: Function) -> u16 {
    match function {
        Function::ReadWriteMultipleRegisters => Function::MOST_READ_WRITTEN,
        other => other.most(),
    }
}
