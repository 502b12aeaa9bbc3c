//! The state of a capture read from a pipe, for its watcher.

use serde::Serialize;

/// What was found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Running {
    /// From the first packet to the last, in seconds.
    pub seconds: f64,
    /// Packets read.
    pub packets: u64,
    /// Packets read per second since the last state; 0 in the first.
    pub packet_rate: f64,
    /// Transactions that ended.
    pub transactions: u64,
    /// Packets that do not parse.
    pub malformed: u64,
    /// Connections and transactions that were given up to bound memory.
    pub evicted: u64,
    /// Flows with transactions.
    pub flow_count: usize,
    /// Those of them with the most transactions, at most ten.
    pub flows: Vec<RunningFlow>,
}

/// A flow so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunningFlow {
    /// Who sends the requests.
    pub from: String,
    /// Who answers them.
    pub to: String,
    /// What they are.
    pub service: String,
    /// Requests that ended.
    pub requests: u64,
    /// Median response time in seconds.
    pub p50_s: Option<f64>,
    /// 99 % quantile of the response time in seconds.
    pub p99_s: Option<f64>,
    /// Attempts after the first.
    pub retries: u64,
    /// Requests without an answer, or refused.
    pub failures: u64,
}
