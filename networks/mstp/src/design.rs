//! Design rules that a site may violate and still run: each violation is a warning with its source.

use sojourn_model::Warning;
use sojourn_model::laws::RandomTime;
use sojourn_protocols::mstp::machine::Settings;
use sojourn_protocols::mstp::wire::SHORTEST;
use sojourn_scenario::{Problem, Scenario, Table};

use super::site::{MediumKind, Site, Station};

/// A sweep that lengthens the mean rotation by more than this share is noted.
const LONGER: f64 = 0.2;

const SWEEP: &str = "ANSI/ASHRAE 135 clause 9.5.6: after 49 tokens a master polls one address with each token until it has reached its successor";
const USAGE: &str =
    "ANSI/ASHRAE 135 clause 9.5.3: a token that is not used within T_usage_timeout is sent again, then given up";
const REPLY: &str = "ANSI/ASHRAE 135 clause 9.5.3: a reply begins within T_reply_delay, 250 ms; the requester waits T_reply_timeout, 255 to 300 ms";

/// The rules that a site breaks.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    for (number, medium) in (0..).zip(&site.media) {
        if !matches!(medium.kind, MediumKind::Trunk(_)) {
            continue;
        }
        let masters = site.masters(number);
        gaps(scenario, site, number, &masters, &mut found);
        late_tokens(scenario, site, &masters, &mut found);
    }
    slow_slaves(scenario, site, &mut found);
    found
}

fn warning(problem: Problem, rule: &'static str) -> Warning {
    Warning { problem, rule }
}

fn table_of(scenario: &Scenario, station: u32) -> &Table {
    scenario.members()[station as usize].station
}

/// The widest gap of a trunk, addresses that its master polls and no master has, where sweeps make rotations much longer.
fn gaps(scenario: &Scenario, site: &Site, medium: u16, masters: &[(u32, &Settings)], found: &mut Vec<Warning>) {
    let Some(trunk) = site.trunk(medium).filter(|_| masters.len() > 1) else { return };
    let gap = |place: usize| {
        let (_, settings) = masters[place];
        let next = masters[(place + 1) % masters.len()].1.address;
        let addresses = u32::from(settings.max_master) + 1;
        (u32::from(next) + addresses - u32::from(settings.address) % addresses - 1) % addresses
    };
    let share = |place: usize| f64::from(gap(place)) / f64::from(gap(place) + masters[place].1.poll - 1);
    let token = trunk.format.characters(SHORTEST as u32).seconds();
    let hold = |(station, _): &(u32, &Settings)| {
        token + site.stations[*station as usize].token_latency.mean().max(trunk.turnaround).seconds()
    };
    let rotation: f64 = masters.iter().map(hold).sum();
    let sweep = |place: usize| share(place) * (token + masters[place].1.vacant_timeout.seconds());
    let longer = (0..masters.len()).map(sweep).sum::<f64>() / rotation;
    let Some(widest) = (0..masters.len()).max_by_key(|&place| gap(place)).filter(|_| longer > LONGER) else { return };
    let (station, settings) = masters[widest];
    let message = format!(
        "{} polls {} addresses that no master has, with {:.0} % of its tokens; such polls make rotations {:.0} % longer",
        site.stations[station as usize].name,
        gap(widest),
        share(widest) * 100.0,
        longer * 100.0
    );
    let highest = masters.iter().map(|(_, settings)| settings.address).max().unwrap_or(settings.max_master);
    let help = match settings.max_master > highest {
        true => format!("write max_master = {highest} for all stations, and addresses without gaps"),
        false => "give stations addresses without gaps".to_owned(),
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
