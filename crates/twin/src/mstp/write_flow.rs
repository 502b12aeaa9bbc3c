//! Writes the flows of a trunk.

use sojourn_capture::arrivals::PollCycle;
use sojourn_core::Time;

use super::flows::{Pacing, Planned};
use super::keys::flow;
use super::named::{Named, WARM_UP};
use super::place::Place;
use super::talk::Service;
use crate::arrivals::{arrivals, poisson, polls};
use crate::document::{Document, Written, arrivals as laws, digits};
use crate::quantile::median;

/// The time between polls of a client that goes on at once, s: the shortest that is written.
const AT_ONCE: f64 = 1e-3;
/// The most octets of an NPDU.
const MOST_OCTETS: f64 = 1497.0;
/// The most retries of a scenario.
const MOST_RETRIES: u32 = 15;
/// The shortest APDU timeout, s.
const SHORTEST_TIMEOUT: f64 = 1e-2;

/// Writes flows, numbered through.
pub(super) struct FlowWriter<'a> {
    begin: Time,
    duration: f64,
    number: usize,
    document: &'a mut Document,
}

impl<'a> FlowWriter<'a> {
    /// None yet; the capture begins at `begin` and lasts `duration` seconds.
    pub fn new(begin: Time, duration: f64, document: &'a mut Document) -> Self {
        FlowWriter { begin, duration, number: 0, document }
    }

    /// The flows of a trunk.
    pub fn write(&mut self, named: &Named<'_>, flows: &[Planned]) {
        for planned in flows {
            let (from, to) = (named.names.all(&planned.from), self.receivers(named, planned));
            if from.is_empty() || to.is_empty() || from == to {
                continue;
            }
            self.number += 1;
            let name = format!("{}-{}", planned.service.word(), self.number);
            let (sent, who) = (planned.messages.times.count(), planned.from.len());
            let about = format!("{sent} messages of {who} stations to {}.", planned.to.len());
            self.document.table_of(flow::TABLE, about);
            self.document.set(flow::NAME, &name);
            self.document.set(flow::FROM, from);
            self.document.set(flow::TO, to);
            self.document.set(flow::SERVICE, planned.service.word());
            self.sizes(planned);
            if planned.service.is_confirmed() {
                self.tries(planned);
            }
            self.arrivals(planned, named.trunk.rotation().unwrap_or(0.0));
            self.document.set(flow::PROBE, planned.service.is_confirmed());
        }
    }

    /// Who receives it: of a broadcast any one station, since all hear it and none answers.
    fn receivers(&self, named: &Named<'_>, planned: &Planned) -> Vec<String> {
        let is_broadcast = planned.to.iter().any(Place::is_all);
        if !is_broadcast {
            return named.names.all(&planned.to);
        }
        let masters = named.devices.iter().filter(|device| !device.is_slave).flat_map(|device| device.addresses());
        let other = masters.map(Place::here).find(|place| !planned.from.contains(place));
        // all masters send: each to the first, which sends to none
        let one = other.or_else(|| planned.from.first().copied());
        one.iter().filter_map(|place| named.names.of(place).cloned()).collect()
    }

    /// Octets of requests and replies.
    fn sizes(&mut self, planned: &Planned) {
        let typical = |values: &[f64]| median(values).map(|octets| octets.clamp(2.0, MOST_OCTETS));
        let messages = &planned.messages;
        if let Some(octets) = typical(messages.data.values()) {
            self.document.set_because(flow::DATA, octets, sizes("Octets of messages", messages.data.values()));
        }
        if planned.service.is_confirmed()
            && let Some(octets) = typical(messages.response_data.values())
        {
            let about = sizes("Octets of replies", messages.response_data.values());
            self.document.set_because(flow::RESPONSE_DATA, octets, about);
        }
    }

    /// APDU timeout and retries, as far as they show.
    fn tries(&mut self, planned: &Planned) {
        let messages = &planned.messages;
        let Some(gap) = median(messages.repeats.values()) else {
            let missing = if messages.unanswered > 0 { "sent again" } else { "without a reply" };
            self.document.comment(format!("No request was {missing}: timeout and retries have their defaults."));
            if messages.unanswered > 0 {
                self.document.set(flow::RETRIES, 0_u64);
            }
            return;
        };
        let about = format!("The median of {} times from one attempt to the next.", messages.repeats.seen());
        self.document.set_because(flow::APDU_TIMEOUT, gap.max(SHORTEST_TIMEOUT), about);
        let about =
            format!("{} requests had no reply, after {} attempts at most.", messages.unanswered, messages.attempts);
        let retries = (messages.attempts - 1).min(MOST_RETRIES);
        self.document.set_because(flow::RETRIES, u64::from(retries), about);
    }

    /// When messages are sent.
    fn arrivals(&mut self, planned: &Planned, rotation: f64) {
        let delay = WARM_UP + planned.begin.since(self.begin).seconds();
        match &planned.pace {
            Pacing::Round { cycle, is_at_once } => {
                let cycle = if *is_at_once {
                    PollCycle { interval: AT_ONCE, cycle: 0.0, ..cycle.clone() }
                } else {
                    cycle.clone()
                };
                let found = polls(&cycle);
                let value = found.value.with(laws::START, "at-once").with(laws::DELAY, delay);
                let reason = match is_at_once {
                    true => format!(
                        "In turn, each as soon as the last is answered: {} % of {} requests follow the order.",
                        digits(100.0 * cycle.in_order),
                        cycle.requests
                    ),
                    false => found.reason,
                };
                self.document.set_because(flow::ARRIVALS, value, reason);
            }
            Pacing::Law => {
                let (times, senders) = (&planned.messages.times, planned.from.len());
                let found = arrivals(times, senders, self.duration, rotation);
                let interval = self.duration * senders as f64 / times.count().max(1) as f64;
                let (value, reason) = match found.value.written().contains("poisson") && interval > 0.0 {
                    // of senders with one message or two the gaps are those that were short enough to be captured
                    true => (poisson(interval), format!("{} The rate is that of their number.", found.reason)),
                    false => (found.value, found.reason),
                };
                self.document.set_because(flow::ARRIVALS, value, reason);
            }
        }
        if planned.service == Service::WhoIs {
            self.document.comment("Each of its receivers answers with I-Am.");
        }
    }
}

/// What sizes are, in words.
fn sizes(what: &str, values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    match least == most {
        true => format!("{what} without far addresses, all alike."),
        false => {
            format!("{what} without far addresses: {} to {}, of which this is the median.", digits(least), digits(most))
        }
    }
}
