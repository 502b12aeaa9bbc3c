//! What a replication observes.

use sojourn_core::{Duration, Time};
use sojourn_metrics::{Budget, Distribution};

use super::latency_budget::COMPONENTS;
use super::packet::Exchange;

/// What is kept of a flow after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    /// Exchanges that were answered, and those that were not in time.
    pub answered: u64,
    pub lost: u64,
    /// Response times, if it is probed.
    pub responses: Distribution,
    /// Octets that a receiving program has taken.
    pub octets: u64,
}

/// All that is observed at the hosts.
#[derive(Clone, Debug)]
pub struct Measure {
    from: Time,
    warm: bool,
    /// By flow.
    pub flows: Vec<FlowTally>,
    /// Response times of all probes.
    pub responses: Distribution,
    /// Where their time went.
    pub budget: Budget,
    /// (picoseconds, seconds), if it is kept.
    pub trace: Option<Vec<(u64, f64)>>,
    /// Since time 0: exchanges begun, answered, and lost.
    pub begun: u64,
    pub answered: u64,
    pub lost: u64,
    /// Since time 0: datagrams handed to the network, delivered by it, and lost in it.
    pub sent: u64,
    pub delivered: u64,
    pub dropped: u64,
    /// After the warm-up: segments of TCP sent again, and connections given up.
    pub retransmissions: u64,
    pub given_up: u64,
}

impl Measure {
    /// Nothing observed yet; what counts begins at `from`.
    pub fn new(flows: usize, from: Time, traced: bool) -> Self {
        Measure {
            from,
            warm: from == Time::ZERO,
            flows: vec![FlowTally::default(); flows],
            responses: Distribution::new(),
            budget: Budget::new(&COMPONENTS),
            trace: traced.then(Vec::new),
            begun: 0,
            answered: 0,
            lost: 0,
            sent: 0,
            delivered: 0,
            dropped: 0,
            retransmissions: 0,
            given_up: 0,
        }
    }

    /// When the warm-up is over.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn begin(&mut self) {
        self.warm = true;
    }

    /// A client has its answer. The warm-up's samples say when it is over, so a trace has them all.
    pub fn answered(&mut self, now: Time, flow: u32, probed: bool, exchange: &Exchange) {
        self.answered += 1;
        let (response, trip) = (now - exchange.began, &exchange.trip);
        debug_assert_eq!(trip.spent().iter().copied().sum::<Duration>(), response, "the components add up");
        if let Some(trace) = self.trace.as_mut().filter(|_| probed) {
            trace.push((now.picoseconds(), response.seconds()));
        }
        if !self.warm {
            return;
        }
        let tally = &mut self.flows[flow as usize];
        tally.answered += 1;
        if probed {
            tally.responses.record(response);
            self.responses.record(response);
            self.budget.record(trip.spent());
        }
    }

    /// An exchange was not answered in time.
    pub fn lost(&mut self, flow: u32) {
        self.lost += 1;
        self.flows[flow as usize].lost += u64::from(self.warm);
    }

    /// A program has taken octets of a bulk transfer.
    pub fn taken(&mut self, flow: u32, octets: u64) {
        if self.warm {
            self.flows[flow as usize].octets += octets;
        }
    }

    /// A segment is sent again.
    pub fn sent_again(&mut self) {
        self.retransmissions += u64::from(self.warm);
    }

    /// A connection is given up.
    pub fn gave_up(&mut self) {
        self.given_up += u64::from(self.warm);
    }

    /// Exchanges and datagrams are neither made nor lost unseen.
    pub fn check_conservation(&self, waiting: u64, under_way: u64) {
        assert_eq!(self.begun, self.answered + self.lost + waiting, "exchanges begun = answered + lost + waiting");
        assert_eq!(
            self.sent,
            self.delivered + self.dropped + under_way,
            "datagrams sent = delivered + lost + under way"
        );
    }
}
