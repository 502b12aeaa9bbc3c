//! Exchanges: a message to the echo, its response, the next message.
//!
//! The loop is closed, so a stall delays the next request instead of being sampled (coordinated omission). The metric
//! is the response time of one request at a time.

use bytes::Bytes;
use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use super::conversation::Application;
use super::payload::Payload;
use super::translator::Counts;
use crate::progress::watch::Watch;

/// The application that sends the requests.
#[derive(Debug)]
pub struct Exchanges<'a> {
    request: Bytes,
    wanted: u32,
    times: Distribution,
    /// When the outstanding request was sent.
    asked_at: Option<Time>,
    answer: Vec<u8>,
    began: Option<Time>,
    ended: Time,
    damaged: bool,
    watch: &'a Watch,
}

impl<'a> Exchanges<'a> {
    /// `wanted` exchanges of `size` bytes in each direction.
    pub fn new(seed: u64, replication: u32, wanted: u32, size: u32, watch: &'a Watch) -> Exchanges<'a> {
        let request = Payload::new(seed, replication, u64::from(size)).next_chunk(size as usize);
        Exchanges {
            request: request.map(|(bytes, _)| bytes).unwrap_or_default(),
            wanted,
            times: Distribution::new(),
            asked_at: None,
            answer: Vec::with_capacity(size as usize),
            began: None,
            ended: Time::ZERO,
            damaged: false,
            watch,
        }
    }

    /// Number of exchanges completed.
    pub fn done(&self) -> u64 {
        self.times.count()
    }

    /// Bytes of all requests that were answered.
    pub fn bytes(&self) -> u64 {
        self.done() * self.request.len() as u64
    }

    /// From the first request to the last response.
    pub fn duration(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| self.ended.since(began))
    }

    /// What is wrong with the responses, if anything.
    pub fn damage(&self) -> Option<String> {
        self.damaged.then(|| "a response differs from its request: the peer is not an echo".to_owned())
    }

    /// The metrics of a series.
    pub fn record(&self, counts: Counts, offered: u64, dropped: u64) -> Record {
        let mut record = Record::default();
        let failures = u64::from(self.wanted) - self.done();
        let mut responses = self.times.clone();
        responses.censor(failures);
        if let Some(spread) = responses.spread(0.5, 0.95) {
            record.scalar("jitter_p95_p50", spread.seconds());
        }
        record.observe("response_time", Observation::Distribution(responses));
        record.scalar("transaction_rate", self.done() as f64 / self.duration().seconds());
        record.count("retries", counts.retransmissions);
        record.count("failures", failures);
        if dropped > 0 {
            record.scalar("loss/injected", dropped as f64 / offered as f64);
        }
        record
    }

    fn answered(&mut self, now: Time, asked_at: Time) {
        self.damaged |= self.answer != self.request;
        self.times.record(now.since(asked_at));
        self.answer.clear();
        self.ended = now;
        self.watch.set_done(self.done());
    }
}

impl Application for Exchanges<'_> {
    fn write(&mut self, now: Time, established: bool) -> Option<(Bytes, bool)> {
        if !established || self.asked_at.is_some() || self.is_done() {
            return None;
        }
        self.began.get_or_insert(now);
        self.asked_at = Some(now);
        Some((self.request.clone(), true))
    }

    fn take(&mut self, now: Time, data: &[u8], end_of_message: bool) {
        // more data than the request cannot be its response
        let room = (self.request.len() + 1).saturating_sub(self.answer.len()).min(data.len());
        self.answer.extend_from_slice(&data[..room]);
        if end_of_message && let Some(asked_at) = self.asked_at.take() {
            self.answered(now, asked_at);
        }
    }

    fn is_done(&self) -> bool {
        self.damaged || self.done() == u64::from(self.wanted)
    }
}
