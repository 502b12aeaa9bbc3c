//! Round-trip times of the probe and their delay budget. The budget follows the last octet of the block over the round trip:
//! every step of whatever carries this octet is accounted, so the components add up to the round-trip time.

use sojourn_core::{Duration, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::Purpose;

use super::information::{Information, Payload};
use super::latency_budget::{COMPONENTS, Component, LatencyBudget};
use super::port_settings::PortPlace;

/// Round-trip times, and the budget of the round trip in flight.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    /// Stream and position of the octet that is followed; none between round trips.
    octet: Option<(u32, u32)>,
    budget_in_flight: LatencyBudget,
    /// When the round trip in flight began.
    begun: Option<Time>,
    /// The hop it is on: the transmitting port, and the budget at the first transmission.
    hop: Option<(PortPlace, LatencyBudget)>,
    /// Round trips to measure.
    wanted: u64,
    traced: bool,
    /// Round-trip times.
    pub responses: Distribution,
    /// Mean delay budget of all round trips.
    pub budget: Budget,
    /// Completion time in picoseconds and round-trip time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
    /// The round trips one by one, if traces are recorded.
    pub requests: RequestLog,
    /// Failed round trips.
    pub failures: u64,
}

impl RoundTrips {
    /// No round trip yet; `wanted` are to be measured.
    pub fn new(wanted: u64, traced: bool) -> Self {
        RoundTrips {
            octet: None,
            budget_in_flight: LatencyBudget::new(Time::ZERO),
            begun: None,
            hop: None,
            wanted,
            traced,
            responses: Distribution::new(),
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            requests: RequestLog::new(traced),
            failures: 0,
        }
    }

    /// Whether all round trips are complete.
    pub fn is_finished(&self) -> bool {
        self.wanted > 0 && self.responses.count() + self.failures >= self.wanted
    }

    /// A round trip begins.
    pub fn begin(&mut self, now: Time) {
        self.budget_in_flight = LatencyBudget::new(now);
        self.begun = Some(now);
        self.octet = None;
        self.hop = None;
    }

    /// Follows this octet of a stream from now on.
    pub fn follow(&mut self, stream: u32, position: u32) {
        self.octet = Some((stream, position));
        self.hop = None;
    }

    /// The round trip has ended.
    pub fn returned(&mut self, now: Time) {
        self.octet = None;
        let spent = *self.budget_in_flight.components();
        let response: Duration = spent.iter().copied().sum();
        if let Some(begun) = self.begun.take() {
            self.requests.responded(0, 0, begun, response);
        }
        self.responses.record(response);
        self.budget.record(&spent);
        if self.traced {
            self.trace.push((now.picoseconds(), response.seconds()));
        }
    }

    /// A round trip has failed.
    pub fn failed(&mut self) {
        self.octet = None;
        if let Some(begun) = self.begun.take() {
            self.requests.failed(0, 0, begun);
        }
        self.failures += 1;
        self.responses.censor(1);
    }

    /// The run has ended at `end`: a round trip older than all that returned never did.
    pub fn end(&mut self, end: Time) {
        self.responses.censor_open(self.begun.map(|begun| end.since(begun)));
    }

    /// Accounts the time up to `now` to a component.
    pub fn account(&mut self, component: Component, now: Time) {
        self.budget_in_flight.account(component, now);
    }

    /// Whether a payload contains the octet.
    pub fn contains_octet(&self, payload: &Payload) -> bool {
        self.octet.is_some_and(|(stream, position)| payload.contains(stream, position))
    }

    /// Whether an information field contains the octet.
    pub fn carries_octet(&self, information: &Information) -> bool {
        information.payload().is_some_and(|payload| self.contains_octet(payload))
    }

    /// Accounts the time up to `now` to a component, if the information contains the octet.
    pub fn account_if(&mut self, component: Component, information: &Information, now: Time) {
        if self.octet.is_some() && self.carries_octet(information) {
            self.budget_in_flight.account(component, now);
        }
    }

    /// A link transmits a frame with this information: it requested the channel at `asked`, and key-up was at `keyed`.
    pub fn transmitted(
        &mut self,
        port: PortPlace,
        information: &Information,
        purpose: Purpose,
        asked: Time,
        keyed: Time,
    ) {
        if !self.carries_octet(information) {
            return;
        }
        match (&mut self.hop, purpose) {
            // the cost of the earlier transmissions
            (Some((hop, first)), Purpose::Retransmission) if *hop == port => {
                first.account(Component::Retransmission, keyed);
                self.budget_in_flight = *first;
            }
            // the octet has been delivered: this is a redundant copy
            (_, Purpose::Retransmission) => {}
            _ => {
                self.budget_in_flight.account(Component::WaitingForWindow, asked.min(keyed));
                self.budget_in_flight.account(Component::WaitingForChannel, keyed);
                self.hop = Some((port, self.budget_in_flight));
            }
        }
    }

    /// A link has delivered this information.
    pub fn delivered(&mut self, information: &Information) {
        if self.carries_octet(information) {
            self.hop = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::StreamRange;

    use super::*;

    const HERE: PortPlace = PortPlace { station: 0, port: 0 };
    const THERE: PortPlace = PortPlace { station: 1, port: 0 };

    fn at(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    fn packet(offset: u32) -> Information {
        Information::User(Payload::Stream(StreamRange { stream: 0, offset, length: 100 }))
    }

    fn spent(round_trips: &RoundTrips, component: Component) -> Duration {
        round_trips.budget_in_flight.components()[usize::from(component)]
    }

    fn begun() -> RoundTrips {
        let mut round_trips = RoundTrips::new(1, false);
        round_trips.begin(at(0));
        round_trips.follow(0, 150);
        round_trips
    }

    #[test]
    fn only_what_carries_the_octet_is_accounted() {
        let mut round_trips = begun();
        round_trips.account_if(Component::Processors, &packet(0), at(5));
        round_trips.account_if(Component::Queues, &packet(100), at(8));
        assert_eq!(spent(&round_trips, Component::Processors), Duration::ZERO);
        assert_eq!(spent(&round_trips, Component::Queues), Duration::from_millis(8));
    }

    #[test]
    fn the_time_from_the_first_transmission_to_the_last_is_retransmission() {
        let mut round_trips = begun();
        round_trips.transmitted(HERE, &packet(100), Purpose::Information, at(10), at(30));
        // it arrives, and is dropped because an earlier frame is missing
        round_trips.account_if(Component::Transmission, &packet(100), at(100));
        round_trips.transmitted(HERE, &packet(100), Purpose::Retransmission, at(500), at(600));
        round_trips.account_if(Component::Transmission, &packet(100), at(650));
        round_trips.returned(at(650));
        let expected = [
            (Component::WaitingForWindow, 10),
            (Component::WaitingForChannel, 20),
            (Component::Retransmission, 570),
            (Component::Transmission, 50),
        ];
        for (component, milliseconds) in expected {
            assert_eq!(spent(&round_trips, component), Duration::from_millis(milliseconds), "{component:?}");
        }
        assert!(round_trips.is_finished());
    }

    #[test]
    fn a_retransmission_after_delivery_costs_nothing() {
        let mut round_trips = begun();
        round_trips.transmitted(HERE, &packet(100), Purpose::Information, at(0), at(0));
        round_trips.account_if(Component::Transmission, &packet(100), at(50));
        round_trips.delivered(&packet(100));
        round_trips.transmitted(THERE, &packet(100), Purpose::Information, at(60), at(60));
        round_trips.transmitted(HERE, &packet(100), Purpose::Retransmission, at(70), at(70));
        round_trips.account_if(Component::Transmission, &packet(100), at(110));
        assert_eq!(spent(&round_trips, Component::Retransmission), Duration::ZERO);
        assert_eq!(spent(&round_trips, Component::Transmission), Duration::from_millis(100));
    }
}
