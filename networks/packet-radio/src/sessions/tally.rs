//! Counters of the sessions of one flow after the warm-up.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use crate::track::Leg;

/// Sessions of a flow.
#[derive(Clone, Debug)]
pub struct SessionTally {
    /// Exchanges.
    pub responses: Distribution,
    /// Setups of a path, all its commands included.
    pub setups: Distribution,
    /// Sessions that completed.
    pub sessions: Distribution,
    /// Sessions that failed.
    pub failed: u64,
    /// Time from station to station of all exchanges, by group of stations.
    legs: BTreeMap<[u32; 2], Duration>,
}

impl SessionTally {
    /// Nothing counted.
    pub fn new() -> Self {
        let none = Distribution::new;
        SessionTally { responses: none(), setups: none(), sessions: none(), failed: 0, legs: BTreeMap::new() }
    }

    /// An exchange has ended; `group` gives the group of a station.
    pub fn exchanged(&mut self, response: Duration, legs: &[Leg], group: impl Fn(u32) -> u32) {
        self.responses.record(response);
        for leg in legs {
            *self.legs.entry(leg.between.map(&group)).or_default() += leg.spent;
        }
    }

    /// A session has failed: so has the exchange that was open, or the next.
    pub fn failed(&mut self) {
        self.failed += 1;
        self.responses.censor(1);
    }

    /// Adds what was counted of another flow.
    pub fn add(&mut self, other: &SessionTally) {
        self.setups.merge(&other.setups);
        self.sessions.merge(&other.sessions);
    }

    /// Stores the totals over all flows.
    pub fn store_totals(self, record: &mut Record) {
        record.count("sessions", self.sessions.count());
        record.observe("session_setup_time", Observation::Distribution(self.setups));
        record.observe("session_time", Observation::Distribution(self.sessions));
    }

    /// Stores what was counted, by the flow's name; `name` gives that of a group of stations.
    pub fn store(self, record: &mut Record, flow: &str, name: impl Fn(u32) -> String) {
        let exchanges = self.responses.count();
        for ([from, to], spent) in self.legs {
            let hop = match from == to {
                true => name(from),
                false => format!("{}-to-{}", name(from), name(to)),
            };
            record.scalar(format!("hop_delay/{flow}/{hop}"), spent.seconds() / exchanges as f64);
        }
        record.count(format!("failures/{flow}"), self.failed);
        record.count(format!("sessions/{flow}"), self.sessions.count());
        record.observe(format!("response_time/{flow}"), Observation::Distribution(self.responses));
        record.observe(format!("session_setup_time/{flow}"), Observation::Distribution(self.setups));
        record.observe(format!("session_time/{flow}"), Observation::Distribution(self.sessions));
    }
}
