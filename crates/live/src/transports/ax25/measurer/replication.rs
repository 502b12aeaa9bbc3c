//! The measurements of one replication of a probe, and its record.

use sojourn_core::Duration;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use super::link_session::LinkTimes;

/// The outcome of a replication.
#[derive(Default)]
pub struct Replication {
    /// Response times of the round trips or frames that were completed.
    pub times: Distribution,
    /// Set-up and disconnect times of its links.
    pub spans: LinkTimes,
    /// Round trips, frames or prompts that timed out.
    pub failures: u32,
    /// Octets that came back.
    pub octets: u64,
    /// Why it ended early.
    pub fault: Option<String>,
}

/// What the channel and the station spent on a replication.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Real time from its first request to its end.
    pub duration: Duration,
    /// Information frames that this station sent again.
    pub retransmitted: u64,
    /// Time that this station transmitted.
    pub airtime: Duration,
}

impl Replication {
    /// What came of it, if it was not ended by an error.
    pub fn in_words(&self) -> String {
        let answered = match self.failures {
            0 => "answered".to_owned(),
            failures => format!("{failures} not answered"),
        };
        match self.spans.waited {
            Duration::ZERO => answered,
            waited => format!("{answered}; between exchanges {:.1} s of waiting for airtime", waited.seconds()),
        }
    }

    /// The metrics of the replication; a failure counts as a response time longer than all measured.
    pub fn record(&self, cost: Cost) -> Record {
        let mut record = Record::default();
        let mut responses = self.times.clone();
        responses.censor(self.failures.into());
        let mut spans = |name: &str, times: &Distribution| {
            record.observe(name, Observation::Distribution(times.clone()));
        };
        spans("response_time", &responses);
        spans("connect_time", &self.spans.connect);
        spans("disconnect_time", &self.spans.disconnect);
        if let Some(spread) = responses.spread(0.5, 0.95) {
            record.scalar("jitter_p95_p50", spread.seconds());
        }
        record.count("retries", cost.retransmitted);
        record.count("failures", self.failures.into());
        record.scalar("airtime", cost.airtime.seconds());
        record.scalar("airtime_wait", self.spans.waited.seconds());
        if cost.duration > Duration::ZERO {
            record.scalar("transaction_rate", self.times.count() as f64 / cost.duration.seconds());
        }
        record
    }
}
