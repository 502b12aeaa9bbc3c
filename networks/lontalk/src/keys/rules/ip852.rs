//! Checks of IP-852 channels: they have no medium access, other channels no IP network, and keys without effect are
//! refused.

use crate::keys::ip852::{CHANNEL, KEYS};
use sojourn_scenario::scenario::{Scenario, Table};
use sojourn_scenario::{Entry, Problem};

/// Keys that every channel has.
const OF_BOTH: [&str; 4] = ["name", "profile", "channel", "domain_length"];

/// Whether a medium is a channel over an IP network.
pub fn is_ip(medium: &Table) -> bool {
    medium.word_is("channel", CHANNEL)
}

/// Adds a problem for each key of the other kind of channel, and for delays that are longer than what is waited for.
pub fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        let ours = is_ip(medium);
        for Entry { key, .. } in medium.changed().filter(|entry| !OF_BOTH.contains(&entry.key.name)) {
            let is_of_ip = KEYS.iter().any(|of_ip| of_ip.name == key.name);
            if is_of_ip != ours {
                let (whose, name) = (if is_of_ip { "over an IP network" } else { "with medium access" }, medium.name());
                let kind = medium.optional_word("channel").unwrap_or_default();
                let message = format!("`{}` is of a channel {whose}, and `{name}` is of type {kind}", key.name);
                found.push(scenario.problem(
                    medium,
                    key.name,
                    message,
                    Some("nothing would obey it: leave it out".to_owned()),
                ));
            }
        }
        let (delay, timeout) = (medium.optional_duration("delay"), medium.optional_duration("channel_timeout"));
        if let (Some(delay), Some(timeout)) = (delay, timeout)
            && ours
            && timeout <= delay
        {
            let message = format!("channel_timeout {timeout} makes every packet stale: the delay is {delay}");
            let help = "half of the mean round-trip time and 20 % (i.LON 600 User's Guide, Table 12)".to_owned();
            found.push(scenario.problem(medium, "channel_timeout", message, Some(help)));
        }
    }
}

/// Adds a problem for what a station asks of a medium access that none of its channels has.
pub fn station<'a>(
    scenario: &Scenario,
    station: &Table,
    on: impl Iterator<Item = &'a Table>,
    found: &mut Vec<Problem>,
) {
    let mut on = on.peekable();
    if on.peek().is_none() || !on.all(is_ip) {
        return;
    }
    for Entry { key, .. } in
        station.changed().filter(|entry| ["priority_slot", "collision_detection"].contains(&entry.key.name))
    {
        let message = format!("`{}` has no channel with medium access, which `{}` is for", station.name(), key.name);
        let help = "an IP-852 channel has neither slots nor collisions: leave it out".to_owned();
        found.push(scenario.problem(station, key.name, message, Some(help)));
    }
}
