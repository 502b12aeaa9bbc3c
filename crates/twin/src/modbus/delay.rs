//! The delay of a server, from its response times.

use super::framing::Framing;
use super::line::Line;
use crate::document::{Varying, span};
use crate::varying::varying;

/// Delays whose middle nine tenths differ by less than this are one, s and as a share of the response time.
const ALIKE: f64 = 1e-4;
const SHARE: f64 = 0.02;

/// The delay of a unit, and how it was inferred; `None` of one that never answered.
pub(super) fn delay(unit: u8, line: &Line, framing: &Framing) -> Option<(Varying, String)> {
    let mut delays: Vec<f64> = Vec::new();
    let mut longest: f64 = 0.0;
    for (key, poll) in line.polls.iter().filter(|(key, _)| key.unit == unit) {
        let Some(shape) = key.shape() else { continue };
        let on_line = framing.followed(shape.response);
        longest = longest.max(on_line);
        delays.extend(poll.responses.values().iter().map(|time| (time - on_line).max(0.0)));
    }
    delays.sort_by(f64::total_cmp);
    let at = |share: f64| delays.get((share * delays.len() as f64) as usize).copied();
    let (least, median, most) = (at(0.05)?, at(0.5)?, at(0.95)?);
    let about = format!(
        "{} response times less t3.5 and the characters of the response: {}",
        delays.len(),
        if most > least {
            format!("{} to {} in nine of ten.", span(least), span(most))
        } else {
            "all alike.".to_owned()
        }
    );
    let value = varying(&delays, ALIKE.max(SHARE * (median + longest)));
    let how = match value {
        Varying::Constant(_) => "The median",
        Varying::Drawn(_) => "Evenly spaced values",
    };
    Some((value, format!("{how} of {about}")))
}
