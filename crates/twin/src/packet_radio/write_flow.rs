//! Writes the probe and the flows.

use super::super::arrivals::{Pace, arrivals, poisson};
use super::super::document::{Document, digits};
use super::conversations::Flow;
use super::exchanges::Exchanges;
use super::keys::{flow as keys, probe as probed};
use super::write::Writer;

/// The longest message of a flow, B: one frame.
const LONGEST_MESSAGE: f64 = 8191.0;
/// Round trips that no run reaches.
const AS_MANY_AS_FIT: u32 = 1_000_000;
/// Sizes of requests and answers that differ by less are the same.
const SAME_SIZE: f64 = 0.05;

impl Writer<'_> {
    /// The flows. Returns after how long they have settled, s.
    pub fn flows(&self, document: &mut Document) -> f64 {
        let mut settles: f64 = 0.0;
        for (number, flow) in self.conversations.flows.iter().enumerate() {
            settles = settles.max(self.flow(number + 1, flow, document));
        }
        settles
    }

    fn flow(&self, number: usize, flow: &Flow<'_>, document: &mut Document) -> f64 {
        let access = &self.access[&flow.medium];
        let smear = access.txdelay() + access.mean_slots() + 0.1;
        let found = arrivals(flow.times, 1, self.frames.seconds(), smear);
        let bytes = flow.bytes.clamp(1.0, LONGEST_MESSAGE);
        let about = format!(
            "{} {} from {} to {}, of {} B on average{}.",
            flow.messages,
            if flow.connected { "I frames" } else { "UI frames" },
            self.name(flow.from),
            if self.options.anonymise && flow.to.is_none() { "all".to_owned() } else { self.name(flow.named) },
            digits(bytes),
            match flow.returned {
                0 => String::new(),
                returned => format!(
                    "; {returned} in the other direction are left out, since a flow has one direction and there is one probe"
                ),
            },
        );
        let service = if flow.connected { "connected" } else { "unnumbered" };
        document.table_of(keys::TABLE, about);
        document.set(keys::NAME, format!("{service}-{number}"));
        document.set(keys::FROM, self.name(flow.from));
        document.set(keys::TO, flow.to.map_or("broadcast".to_owned(), |to| self.name(to)));
        if !flow.path.is_empty() {
            document.set(keys::PATH, self.names_of(&flow.path));
        }
        document.set(keys::SERVICE, service);
        document.set(keys::DATA, bytes.round_ties_even());
        // a value that changes cannot be written as a law of this kind
        if found.pace == Pace::Change {
            let interval = flow.times.mean_gap().max(1e-6);
            let why = format!("{} Packet radio has no such arrivals: a Poisson process of the rate.", found.reason);
            document.set_because(keys::ARRIVALS, poisson(interval), why);
            return interval;
        }
        document.set_because(keys::ARRIVALS, found.value, found.reason);
        found.settles
    }

    /// The probe, which stands for the exchanges of two terminals.
    pub fn probe(&self, document: &mut Document) {
        let Some(probe) = &self.conversations.probe else {
            return document.note("No two terminals exchange requests and answers: there is no probe.");
        };
        let Exchanges { count, request, answer, think, .. } = probe.exchanges;
        let size = (0.5 * (request + answer)).round().clamp(1.0, 65_535.0);
        let about = format!(
            "{count} requests of {} B and answers of {} B (medians){}.",
            digits(request),
            digits(answer),
            if (request - answer).abs() > SAME_SIZE * size {
                "; a probe's answers are as long as its requests: both have the mean"
            } else {
                ""
            },
        );
        document.table_of(probed::TABLE, about);
        document.set(probed::FROM, self.name(probe.from));
        document.set(probed::TO, self.name(probe.to));
        if !probe.path.is_empty() {
            document.set(probed::PATH, self.names_of(&probe.path));
        }
        document.set(probed::SIZE, size);
        document.set_because(probed::ROUND_TRIPS, AS_MANY_AS_FIT, "As many as fit.");
        let why = "The median time from an answer to the next request, less TXDELAY, slots and processing.";
        document.set_because(probed::PAUSE, think, why);
    }
}
