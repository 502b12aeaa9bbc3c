//! Consistency checks of an IP network's keys.

use super::{measurement, monitor, switched_lan, switched_lan_packets};
use crate::{Problems, Scenario};

/// Adds the inconsistencies found.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    switched_lan_packets::at_once(scenario);
    let mut found = Vec::new();
    switched_lan::hosts(scenario, &mut found);
    switched_lan_packets::media(scenario, &mut found);
    switched_lan_packets::conditioned(scenario, &mut found);
    measurement::check(scenario, &mut found);
    monitor::check(scenario, &mut found);
    problems.0.extend(found);
}
