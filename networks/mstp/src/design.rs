//! Design rules that a site may violate and still run: each violation is a warning with its source.

use sojourn_model::Warning;
use sojourn_model::laws::RandomTime;
use sojourn_protocols::mstp::machine::Settings;
use sojourn_scenario::{Problem, Scenario, Table};

use super::site::{MediumKind, Site, Station};

/// A sweep of more addresses than these is worth a word.
const GAP: u32 = 16;
/// Unit loads of a segment.
const LOADS: usize = 32;

const SWEEP: &str = "ANSI/ASHRAE 135 clause 9.5.6: after 49 tokens a master polls one address with each token until it has reached its successor";
const USAGE: &str =
    "ANSI/ASHRAE 135 clause 9.5.3: a token that is not used within T_usage_timeout is sent again, then given up";
const REPLY: &str = "ANSI/ASHRAE 135 clause 9.5.3: a reply begins within T_reply_delay, 250 ms; the requester waits T_reply_timeout, 255 to 300 ms";
const SEGMENT: &str = "TIA-485: 32 unit loads on a segment; receivers of an eighth load allow 256";

/// The rules that a site breaks.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    for (number, medium) in (0..).zip(&site.media) {
        if !matches!(medium.kind, MediumKind::Trunk(_)) {
            continue;
        }
        let masters = site.masters(number);
        gaps(scenario, site, &masters, &mut found);
        late_tokens(scenario, site, &masters, &mut found);
        crowded(scenario, site, number, &mut found);
    }
    slow_slaves(scenario, site, &mut found);
    found
}

fn warning(problem: Problem, rule: &'static str) -> Warning {
    Warning { problem, rule }
}

fn table_of<'s>(scenario: &'s Scenario, station: u32) -> &'s Table {
    scenario.members()[station as usize].station
}

/// The widest gap of a trunk: addresses that its master polls and no master has.
fn gaps(scenario: &Scenario, site: &Site, masters: &[(u32, &Settings)], found: &mut Vec<Warning>) {
    let gap = |place: usize| {
        let (_, settings) = masters[place];
        let next = masters[(place + 1) % masters.len()].1.address;
        let addresses = u32::from(settings.max_master) + 1;
        (u32::from(next) + addresses - u32::from(settings.address) % addresses - 1) % addresses
    };
    let Some(widest) = (0..masters.len()).max_by_key(|&place| gap(place)) else { return };
    let gap = gap(widest);
    if masters.len() < 2 || gap <= GAP {
        return;
    }
    let (station, settings) = masters[widest];
    let name = &site.stations[station as usize].name;
    let share = gap * 100 / (gap + settings.poll - 1);
    let message = format!("{name} polls {gap} addresses that no master has, with {share} % of its tokens");
    let highest = masters.iter().map(|(_, settings)| settings.address).max().unwrap_or(settings.max_master);
    let help = match settings.max_master > highest {
        true => format!(
            "each costs T_usage_timeout: write max_master = {highest} for all stations, and addresses without gaps"
        ),
        false => "each costs T_usage_timeout: give stations addresses without gaps".to_owned(),
    };
    found.push(warning(scenario.problem(table_of(scenario, station), "max_master", message, Some(help)), SWEEP));
}

/// Stations that may not use a token in time.
fn late_tokens(scenario: &Scenario, site: &Site, masters: &[(u32, &Settings)], found: &mut Vec<Warning>) {
    let Some(shortest) = masters.iter().map(|(_, settings)| settings.usage_timeout).min() else { return };
    let slow = |time: &RandomTime| time.least() > shortest || time.mean() > shortest;
    let late = masters.iter().find(|(station, _)| slow(&site.stations[*station as usize].token_latency));
    let Some(&(station, _)) = late else { return };
    let name = &site.stations[station as usize].name;
    let message = format!("{name} takes longer to use a token than the {shortest} that others wait for it");
    let help = "lower costs.token_latency, or raise timers.usage_timeout of all stations (to 100 ms before 135-2016bm)"
        .to_owned();
    found.push(warning(scenario.problem(table_of(scenario, station), "costs", message, Some(help)), USAGE));
}

fn crowded(scenario: &Scenario, site: &Site, medium: u16, found: &mut Vec<Warning>) {
    let devices = site.media[usize::from(medium)].ports.len();
    if devices <= LOADS {
        return;
    }
    let name = &site.media[usize::from(medium)].name;
    let message = format!("{devices} devices on trunk `{name}`, more than {LOADS} unit loads");
    let help = "use devices of half a load or less, or repeaters between segments".to_owned();
    let table = &scenario.list("medium")[usize::from(medium)];
    found.push(warning(scenario.problem(table, "name", message, Some(help)), SEGMENT));
}

/// Slaves whose replies are never in time.
fn slow_slaves(scenario: &Scenario, site: &Site, found: &mut Vec<Warning>) {
    let is_slow = |station: &Station| {
        let node = site.ports[station.ports.start as usize].node.filter(|node| node.is_slave);
        node.is_some_and(|node| station.reply_latency.mean() > node.protocol.reply_delay)
    };
    let Some((number, station)) = (0..).zip(&site.stations).find(|(_, station)| is_slow(station)) else { return };
    let message = format!("slave {} is ready after T_reply_delay, and then does not reply", station.name);
    let help = "only masters postpone replies: lower costs.reply_latency, or write type = \"master\"".to_owned();
    found.push(warning(scenario.problem(table_of(scenario, number), "costs", message, Some(help)), REPLY));
}
