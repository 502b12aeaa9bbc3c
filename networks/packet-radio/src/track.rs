//! One round trip in flight: the tracked octet, its delay budget, and the stations that it has passed.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::machine::Purpose;

use super::information::Payload;
use super::latency_budget::{COMPONENTS, Component, LatencyBudget};
use super::port_settings::PortPlace;

/// A round trip in flight, or none.
#[derive(Clone, Debug)]
pub struct Track {
    /// Stream and position of the octet that is followed; none between round trips.
    octet: Option<(u32, u32)>,
    /// Its budget so far.
    pub budget: LatencyBudget,
    /// When the round trip began.
    pub begun: Option<Time>,
    /// The hop it is on: the transmitting port, and the budget at the first transmission.
    hop: Option<(PortPlace, LatencyBudget)>,
    legs: Option<Legs>,
}

/// The stations that the octet has passed, and the time from each to the next.
#[derive(Clone, Debug, Default)]
struct Legs {
    at: u32,
    since: Time,
    /// The stations passed in this direction: one that it reaches again has received a copy.
    passed: Vec<u32>,
    spent: Vec<Leg>,
}

/// The time from one station to the next, or within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The stations.
    pub between: [u32; 2],
    /// The time.
    pub spent: Duration,
}

impl Default for Track {
    fn default() -> Self {
        Track { octet: None, budget: LatencyBudget::new(Time::ZERO), begun: None, hop: None, legs: None }
    }
}

impl Track {
    /// A round trip begins.
    pub fn begin(&mut self, now: Time) {
        self.budget = LatencyBudget::new(now);
        self.begun = Some(now);
        self.octet = None;
        self.hop = None;
    }

    /// A round trip begins at a station; the time from station to station is kept.
    pub fn begin_at(&mut self, now: Time, station: u32) {
        self.begin(now);
        let legs = self.legs.get_or_insert_default();
        (legs.at, legs.since) = (station, now);
        legs.spent.clear();
    }

    /// Follows this octet of a stream from now on.
    pub fn follow(&mut self, stream: u32, position: u32) {
        self.octet = Some((stream, position));
        self.hop = None;
    }

    /// The station that the octet has reached sends a request or a response, whose last octet is followed next.
    pub fn turn(&mut self, now: Time) {
        let Some(legs) = &mut self.legs else { return };
        if now > legs.since {
            legs.spent.push(Leg { between: [legs.at, legs.at], spent: now - legs.since });
        }
        legs.since = now;
        legs.passed.clear();
        legs.passed.push(legs.at);
    }

    /// The round trip has ended; the components of its budget.
    pub fn end(&mut self) -> [Duration; COMPONENTS.len()] {
        self.octet = None;
        *self.budget.components()
    }

    /// The time from station to station.
    pub fn legs(&self) -> &[Leg] {
        self.legs.as_ref().map_or(&[], |legs| &legs.spent)
    }

    /// Whether a payload contains the octet.
    pub fn is_in(&self, payload: &Payload) -> bool {
        self.octet.is_some_and(|(stream, position)| payload.contains(stream, position))
    }

    /// A link transmits a frame with the octet: it requested the channel at `asked`, and key-up was at `keyed`.
    pub fn transmitted(&mut self, port: PortPlace, purpose: Purpose, asked: Time, keyed: Time) {
        match (&mut self.hop, purpose) {
            // the cost of the earlier transmissions
            (Some((hop, first)), Purpose::Retransmission) if *hop == port => {
                first.account(Component::Retransmission, keyed);
                self.budget = *first;
            }
            // the octet has been delivered: this is a redundant copy
            (_, Purpose::Retransmission) => {}
            _ => {
                self.budget.account(Component::WaitingForWindow, asked.min(keyed));
                self.budget.account(Component::WaitingForChannel, keyed);
                self.hop = Some((port, self.budget));
            }
        }
    }

    /// A link has delivered the octet to a station.
    pub fn delivered(&mut self, now: Time, station: u32) {
        self.hop = None;
        let Some(legs) = &mut self.legs else { return };
        if !legs.passed.contains(&station) {
            legs.passed.push(station);
            legs.spent.push(Leg { between: [legs.at, station], spent: now - legs.since });
            (legs.at, legs.since) = (station, now);
        }
    }
}
