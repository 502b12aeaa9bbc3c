//! Rates of another decade: a link that was meant to have kbit/s.

use sojourn_metrics::display::Shown;

use crate::ip::keys::RATE_BACK;
use sojourn_model::Warning;
use sojourn_scenario::{Origin, Scenario};

/// Below this no switched LAN is built, and by far.
const SLOW_LAN: f64 = 10e3;
const LAN: &str = "IEEE 802.3 begins at 1 Mbit/s (1BASE5)";
/// Below this no packets of IP are sent over lines.
const SLOW_LINE: f64 = 1200.0;
const LINE: &str = "RFC 1055: IP over serial lines of 1200 bit/s to 19.2 kbit/s";

/// Media whose rate looks like one in kbit/s that was written in bit/s.
pub(crate) fn slow_media(scenario: &Scenario) -> Vec<Warning> {
    let (least, rule) = if scenario.kind == "ip" { (SLOW_LINE, LINE) } else { (SLOW_LAN, LAN) };
    let rates = scenario.list("medium").iter().flat_map(|medium| ["rate", RATE_BACK].map(|key| (medium, key)));
    let slow = rates.filter_map(|(medium, key)| {
        let rate = medium.optional_number(key).filter(|rate| *rate < least)?;
        medium.get(key).filter(|entry| entry.origin == Origin::Written)?;
        let message = format!("medium `{}` has {}", medium.name(), Shown::unit("bit/s").value(Some(rate), rate, 3));
        let help = format!("if kbit/s are meant: {key} = \"{rate} kbit/s\"");
        Some(Warning { problem: scenario.problem(medium, key, message, Some(help)), rule })
    });
    slow.collect()
}
