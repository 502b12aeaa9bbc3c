//! Consistency checks of an IP network's keys.

use crate::rules as packets;
use crate::switched::keys::rules as switched;
use sojourn_scenario::rules::measurement;
use sojourn_scenario::rules::mesh;
use sojourn_scenario::rules::monitor;
use sojourn_scenario::{Problems, Scenario};

/// Adds the inconsistencies found.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    packets::at_once(scenario);
    let mut found = Vec::new();
    switched::hosts(scenario, &mut found);
    packets::media(scenario, &mut found);
    packets::conditioned(scenario, &mut found);
    measurement::check(scenario, &mut found);
    monitor::check(scenario, &mut found);
    mesh::check(scenario, &mut found);
    problems.0.extend(found);
}
