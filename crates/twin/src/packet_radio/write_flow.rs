//! Writes the probe and the flows.

use super::super::arrivals::arrivals;
use super::super::document::{Document, digits, span};
use super::conversations::Flow;
use super::exchanges::Exchanges;
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
        document.gap();
        let bytes = flow.bytes.clamp(1.0, LONGEST_MESSAGE);
        document.comment(format!(
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
        ));
        document.table("[[flow]]");
        document.text("name", format!("{}-{number}", if flow.connected { "connected" } else { "unnumbered" }));
        document.text("from", self.name(flow.from));
        document.text("to", flow.to.map_or("broadcast".to_owned(), |to| self.name(to)));
        if !flow.path.is_empty() {
            document.key("path", self.names_of(&flow.path));
        }
        document.text("service", if flow.connected { "connected" } else { "unnumbered" });
        document.text("data", format!("{:.0} B", bytes));
        // a value that changes cannot be written as a law of this kind
        if found.value.contains("\"heartbeat\"") {
            let interval = flow.times.mean_gap().max(1e-6);
            document
                .comment(format!("{} Packet radio has no such arrivals: a Poisson process of the rate.", found.reason));
            document.key("arrivals", format!("{{ kind = \"poisson\", interval = \"{}\" }}", span(interval)));
            return interval;
        }
        document.comment(found.reason);
        document.key("arrivals", found.value);
        found.settles
    }

    /// The probe, which stands for the exchanges of two terminals.
    pub fn probe(&self, document: &mut Document) {
        document.gap();
        let Some(probe) = &self.conversations.probe else {
            return document.comment("No two terminals exchange requests and answers: there is no probe.");
        };
        let Exchanges { count, request, answer, think, .. } = probe.exchanges;
        let size = (0.5 * (request + answer)).round().clamp(1.0, 65_535.0);
        document.comment(format!(
            "{count} requests of {} B and answers of {} B (medians){}.",
            digits(request),
            digits(answer),
            if (request - answer).abs() > SAME_SIZE * size {
                "; a probe's answers are as long as its requests: both have the mean"
            } else {
                ""
            },
        ));
        document.table("[probe]");
        document.text("from", self.name(probe.from));
        document.text("to", self.name(probe.to));
        if !probe.path.is_empty() {
            document.key("path", self.names_of(&probe.path));
        }
        document.text("size", format!("{size:.0} B"));
        document.comment("As many as fit.");
        document.key("round_trips", AS_MANY_AS_FIT);
        document.comment("The median time from an answer to the next request, less TXDELAY, slots and processing.");
        document.text("pause", span(think));
    }
}
