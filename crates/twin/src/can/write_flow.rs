//! Writes the flows of a bus.

use super::keys::flow;
use super::pace::Pace;
use super::plan::{Paced, Planned};
use crate::arrivals::{polls, trace};
use crate::document::{Document, Inline, Time, arrivals as laws, exact};
use crate::scenario::{Options, Trace};

/// The longest separation time, s (ISO 15765-2).
const SEPARATION: f64 = 0.127;

/// Writes flows, and the files of those that are recorded.
pub(super) struct FlowWriter<'a> {
    /// From the beginning of the run to the end of the first frame of the capture, s.
    shift: f64,
    options: &'a Options,
    document: &'a mut Document,
    traces: Vec<Trace>,
}

impl<'a> FlowWriter<'a> {
    /// None yet.
    pub fn new(shift: f64, options: &'a Options, document: &'a mut Document) -> Self {
        FlowWriter { shift, options, document, traces: Vec::new() }
    }

    /// The files.
    pub fn finish(self) -> Vec<Trace> {
        self.traces
    }

    /// A flow.
    pub fn write(&mut self, planned: &Planned) {
        let document = &mut *self.document;
        let what = if planned.service == "broadcast" { "messages" } else { "requests, or messages of several frames" };
        document.table_of(flow::TABLE, format!("{} {what}.", planned.count));
        document.set(flow::NAME, &planned.name);
        document.set(flow::FROM, &planned.from);
        document.set(flow::TO, planned.to.clone());
        document.set(flow::ID, planned.id.value());
        if planned.id_step != 1 {
            document.set(flow::ID_STEP, planned.id_step);
        }
        if planned.id.is_extended() {
            document.set(flow::EXTENDED, true);
        }
        if let Some(id) = planned.response_id {
            document.set(flow::RESPONSE_ID, id.value());
        }
        if let Some(brs) = planned.brs {
            document.set(flow::FD, true);
            document.set(flow::BRS, brs);
        }
        document.set(flow::SERVICE, planned.service);
        document.set(flow::DATA, planned.data);
        if let Some(octets) = planned.response_data {
            document.set(flow::RESPONSE_DATA, octets);
        }
        self.payload(planned);
        self.transport(planned);
        self.arrivals(planned);
        self.document.set(flow::PROBE, true);
    }

    /// The bytes of frames, by which they are as long as they were.
    fn payload(&mut self, planned: &Planned) {
        match (&planned.payload, &planned.like_payload) {
            (Some(_), Some(digits)) if self.options.anonymise => {
                self.document.set_because(flow::PAYLOAD, digits, "Bytes with as many stuff bits, which say nothing.");
            }
            (Some((digits, is_constant)), _) => {
                if !is_constant {
                    self.document.comment("Bytes of one of the frames, which differ.");
                }
                self.document.set(flow::PAYLOAD, digits);
            }
            _ if planned.data > 0.0 && matches!(planned.service, "broadcast" | "remote" | "request") => {
                self.document.set(flow::PAYLOAD, "random");
            }
            _ => {}
        }
    }

    /// What goes with messages of several frames.
    fn transport(&mut self, planned: &Planned) {
        let document = &mut *self.document;
        if let Some((block, separation)) = planned.block {
            document.comment("As the first flow control has them.");
            document.set(flow::BLOCK_SIZE, u64::from(block));
            document.set(flow::SEPARATION, separation.span().seconds().min(SEPARATION));
        }
        if let Some(interval) = planned.packet_interval {
            document.set_because(flow::PACKET_INTERVAL, interval, "The median of the times between packets.");
        }
        if let Some(window) = planned.window {
            document.set_because(
                flow::WINDOW,
                u64::from(window),
                "The most packets that the receiver cleared at a time.",
            );
        }
    }

    /// When messages are sent.
    fn arrivals(&mut self, planned: &Planned) {
        let (value, reason) = match &planned.pace {
            Paced::Round(round) => {
                let found = polls(&round.cycle);
                let begin = (round.begin + self.shift).max(0.0);
                (found.value.with(laws::START, "at-once").with(laws::DELAY, Time::Exact(begin)), found.reason)
            }
            Paced::One(Pace::Recorded { starts, reason }) => (self.recorded(planned, starts), reason.clone()),
            Paced::One(pace) => match pace.written(self.shift) {
                Some(written) => written,
                None => return,
            },
        };
        self.document.set_because(flow::ARRIVALS, value, reason);
    }

    /// Messages as they were sent, in a file.
    fn recorded(&mut self, planned: &Planned, starts: &[f64]) -> Inline {
        let file = format!("{}-{}.csv", self.options.name, planned.name);
        let mut text = String::from("time,from,to,size\n");
        let to = planned.to.first().map_or("", String::as_str);
        for (number, start) in starts.iter().enumerate() {
            let size = planned.sizes.as_ref().and_then(|sizes| sizes.get(number).copied());
            let size = size.map_or(planned.data, f64::from);
            text.push_str(&format!("{},{},{to},{size}\n", exact(start + self.shift), planned.from));
        }
        let inline = trace(&file);
        self.traces.push(Trace { file, text });
        inline
    }
}
