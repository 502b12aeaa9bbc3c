//! Where a round trip's time goes: the account of the last octet of the block under way, there and back. Every step
//! that something carrying this octet takes is charged, so that the components add up to the round trip.

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::Purpose;

use super::budget::{COMPONENTS, Component, LatencyBudget};
use super::information::{Information, Payload};
use super::site::PortPlace;

/// The account of the round trip under way.
#[derive(Debug)]
pub struct Account {
    /// The octet that is followed; none between round trips.
    octet: Option<(u32, u32)>,
    trip: LatencyBudget,
    /// The hop it is on: who transmits it, and the account when it first did.
    hop: Option<(PortPlace, LatencyBudget)>,
    /// Round trips to take.
    wanted: u64,
    traced: bool,
    /// Round trips.
    pub responses: Distribution,
    /// Where their time went.
    pub budget: Budget,
    /// In order, where traces are kept.
    pub trace: Vec<(u64, f64)>,
    /// Round trips that failed.
    pub failures: u64,
}

impl Account {
    /// Nothing is under way; so many round trips are to be taken.
    pub fn new(wanted: u64, traced: bool) -> Self {
        Account {
            octet: None,
            trip: LatencyBudget::new(Time::ZERO),
            hop: None,
            wanted,
            traced,
            responses: Distribution::new(),
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            failures: 0,
        }
    }

    /// Whether all round trips are over.
    pub fn is_finished(&self) -> bool {
        self.wanted > 0 && self.responses.count() + self.failures >= self.wanted
    }

    /// A round trip begins.
    pub fn begin(&mut self, now: Time) {
        self.trip = LatencyBudget::new(now);
        self.octet = None;
        self.hop = None;
    }

    /// From now on this octet of a stream is followed.
    pub fn follow(&mut self, stream: u32, position: u32) {
        self.octet = Some((stream, position));
        self.hop = None;
    }

    /// The round trip has ended.
    pub fn returned(&mut self, now: Time) {
        self.octet = None;
        let spent = *self.trip.components();
        let response: Duration = spent.iter().copied().sum();
        self.responses.record(response);
        self.budget.record(&spent);
        if self.traced {
            self.trace.push((now.picoseconds(), response.seconds()));
        }
    }

    /// A round trip has failed.
    pub fn failed(&mut self) {
        self.octet = None;
        self.failures += 1;
    }

    /// Charges the time up to `now` to a component, whatever the octet is in.
    pub fn account(&mut self, component: Component, now: Time) {
        self.trip.account(component, now);
    }

    /// Whether the octet is in a payload.
    pub fn is_in(&self, payload: &Payload) -> bool {
        self.octet.is_some_and(|(stream, position)| payload.contains(stream, position))
    }

    /// Whether the octet is in a frame's information.
    pub fn is_carried(&self, information: &Information) -> bool {
        information.payload().is_some_and(|payload| self.is_in(payload))
    }

    /// Charges the time up to `now` to a component, if the information has the octet.
    pub fn charge_if(&mut self, component: Component, information: &Information, now: Time) {
        if self.octet.is_some() && self.is_carried(information) {
            self.trip.account(component, now);
        }
    }

    /// A link transmits a frame with this information: it asked for the channel at `asked`, and the transmitter was
    /// keyed at `keyed`.
    pub fn transmitted(
        &mut self,
        port: PortPlace,
        information: &Information,
        purpose: Purpose,
        asked: Time,
        keyed: Time,
    ) {
        if !self.is_carried(information) {
            return;
        }
        match (&mut self.hop, purpose) {
            // what the tries before this one cost
            (Some((hop, first)), Purpose::Retransmission) if *hop == port => {
                first.account(Component::Retransmission, keyed);
                self.trip = *first;
            }
            // the octet has been delivered, and what is repeated is a copy
            (_, Purpose::Retransmission) => {}
            _ => {
                self.trip.account(Component::WaitingForWindow, asked.min(keyed));
                self.trip.account(Component::WaitingForChannel, keyed);
                self.hop = Some((port, self.trip));
            }
        }
    }

    /// A link has delivered this information.
    pub fn delivered(&mut self, information: &Information) {
        if self.is_carried(information) {
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

    fn spent(account: &Account, component: Component) -> Duration {
        account.trip.components()[usize::from(component)]
    }

    fn begun() -> Account {
        let mut account = Account::new(1, false);
        account.begin(at(0));
        account.follow(0, 150);
        account
    }

    #[test]
    fn only_what_carries_the_octet_is_charged() {
        let mut account = begun();
        account.charge_if(Component::Processors, &packet(0), at(5));
        account.charge_if(Component::Queues, &packet(100), at(8));
        assert_eq!(spent(&account, Component::Processors), Duration::ZERO);
        assert_eq!(spent(&account, Component::Queues), Duration::from_millis(8));
    }

    #[test]
    fn all_from_the_first_try_to_the_last_is_the_cost_of_the_loss() {
        let mut account = begun();
        account.transmitted(HERE, &packet(100), Purpose::Information, at(10), at(30));
        // it arrives, and is dropped because one before it is missing
        account.charge_if(Component::Transmission, &packet(100), at(100));
        account.transmitted(HERE, &packet(100), Purpose::Retransmission, at(500), at(600));
        account.charge_if(Component::Transmission, &packet(100), at(650));
        account.returned(at(650));
        let expected = [
            (Component::WaitingForWindow, 10),
            (Component::WaitingForChannel, 20),
            (Component::Retransmission, 570),
            (Component::Transmission, 50),
        ];
        for (component, milliseconds) in expected {
            assert_eq!(spent(&account, component), Duration::from_millis(milliseconds), "{component:?}");
        }
        assert!(account.is_finished());
    }

    #[test]
    fn a_repetition_of_what_has_been_delivered_costs_nothing() {
        let mut account = begun();
        account.transmitted(HERE, &packet(100), Purpose::Information, at(0), at(0));
        account.charge_if(Component::Transmission, &packet(100), at(50));
        account.delivered(&packet(100));
        account.transmitted(THERE, &packet(100), Purpose::Information, at(60), at(60));
        account.transmitted(HERE, &packet(100), Purpose::Retransmission, at(70), at(70));
        account.charge_if(Component::Transmission, &packet(100), at(110));
        assert_eq!(spent(&account, Component::Retransmission), Duration::ZERO);
        assert_eq!(spent(&account, Component::Transmission), Duration::from_millis(100));
    }
}
