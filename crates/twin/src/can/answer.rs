//! How long servers take for their answers.

use std::collections::BTreeMap;

use super::exchange::Exchange;
use super::pace::Run;
use super::seen::since;
use crate::document::{Varying, span};
use crate::quantile::{at, median};
use crate::varying::varying;

/// Fewest answers that found the bus idle, and of how many answers one at least must have.
const FREE: usize = 3;
const FREE_OF: usize = 20;
/// Times whose middle nine tenths differ by less are one, as a share of the median.
const SHARE: f64 = 0.02;
/// Bits of the intermission behind a request.
const INTERMISSION: f64 = 3.0;

/// From requests to the beginnings of answers, s.
#[derive(Clone, Debug, Default)]
struct Times {
    all: Vec<f64>,
    /// Of answers that found the bus idle.
    free: Vec<f64>,
}

/// What the servers of a bus show.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    servers: BTreeMap<String, Times>,
}

impl Answers {
    /// Takes the exchanges of a server.
    pub fn add(&mut self, server: String, exchanges: &[Exchange], run: &Run) {
        let times = self.servers.entry(server).or_default();
        for exchange in exchanges {
            let Some(answer) = &exchange.answer else { continue };
            let start = answer.start(run.begin, &run.rates);
            let time = (start.at - since(run.begin, exchange.request.end)).max(0.0);
            times.all.push(time);
            if !start.waited {
                times.free.push(time);
            }
        }
    }

    /// What a server takes, and how it was found; `None` of one that answered nothing.
    pub fn of(&self, server: &str, run: &Run) -> Option<(Varying, String)> {
        let times = self.servers.get(server)?;
        if times.is_free() {
            let (value, typical) = written(times.free.clone(), run)?;
            let reason = format!(
                "Calibration: from the end of a request to the beginning of its answer {} at the median, of the {} of {} answers \
                 that found the bus idle.",
                span(typical),
                times.free.len(),
                times.all.len()
            );
            return Some((value, reason));
        }
        let mut all = times.all.clone();
        let longest = median(&all)?;
        let others: Vec<f64> = self
            .servers
            .values()
            .filter(|other| other.is_free())
            .flat_map(|other| other.free.iter().copied())
            .collect();
        if let Some((value, typical)) = written(others, run).filter(|(_, typical)| *typical <= longest) {
            let reason = format!(
                "Calibration: as the other servers of the bus, {} at the median; its own {} answers all came right behind other frames.",
                span(typical),
                all.len()
            );
            return Some((value, reason));
        }
        // the shortest of those that waited did so least
        all.sort_by(f64::total_cmp);
        let least = at(&all, 0.1)?;
        let least = if least <= run.rates.bits(INTERMISSION) + run.alike() { 0.0 } else { least };
        let reason = format!(
            "Calibration: {} from the end of a request to its answer at the 10th percentile of {}, which all came right behind other \
             frames.",
            span(least),
            all.len()
        );
        Some((Varying::Constant(least), reason))
    }
}

impl Times {
    fn is_free(&self) -> bool {
        self.free.len() >= FREE && self.free.len() * FREE_OF >= self.all.len()
    }
}

/// Times as a scenario has them, with their median.
fn written(mut times: Vec<f64>, run: &Run) -> Option<(Varying, f64)> {
    times.sort_by(f64::total_cmp);
    let typical = at(&times, 0.5)?;
    Some((varying(&times, run.alike().max(SHARE * typical)), typical))
}
