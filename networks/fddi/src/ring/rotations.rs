//! Token rotation times at selected MACs: the times between consecutive token arrivals.

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;

/// A MAC whose rotations are recorded.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    pub mac: u32,
    /// The last token counted, if one came since the last claim.
    last: Option<Time>,
    pub rotations: Distribution,
    /// Whether the MAC has no power: it sees none.
    pub is_off: bool,
}

impl Observer {
    pub fn new(mac: u32, is_off: bool) -> Self {
        Observer { mac, last: None, rotations: Distribution::new(), is_off }
    }

    /// A new token: the next arrival ends no rotation.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// A token arrived at `arrival`, which may have been recorded before.
    pub fn token(&mut self, arrival: Time) {
        if self.is_off {
            return;
        }
        match self.last {
            Some(last) if arrival <= last => return,
            Some(last) => self.rotations.record(arrival - last),
            None => {}
        }
        self.last = Some(arrival);
    }

    /// Tokens came once a round, the last of them at `arrival`.
    pub fn idle_tokens(&mut self, arrival: Time, round: Duration) {
        if self.is_off {
            return;
        }
        if let Some(last) = self.last {
            self.rotations.record_many(round, arrival.since(last).whole(round));
        }
        self.last = self.last.max(Some(arrival));
    }
}
