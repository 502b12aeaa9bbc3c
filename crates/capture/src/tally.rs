//! Tallies per flow, per service, and for the whole capture.

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;
use sojourn_metrics::distribution::EXACT_SAMPLES;

use crate::{Outcome, Sent, Transaction};

/// Bytes that the distributions of all flows may take. Flows that come later, or need more, keep their counts and means.
const DISTRIBUTION_BYTES: usize = 40 * 1024 * 1024;
/// Bytes of a distribution with more samples than are stored exactly.
const BINNED_BYTES: usize = 256 * 1024;

/// At most one transaction of this number may overlap with another: more, and the 99 % quantile is not known.
const MOST_OVERLAPPED: u64 = 100;

/// What is left of the memory for distributions.
#[derive(Debug)]
pub(crate) struct Memory(usize);

impl Default for Memory {
    fn default() -> Self {
        Memory(DISTRIBUTION_BYTES)
    }
}

impl Memory {
    #[inline]
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Durations: their number and sum, and their distribution as far as there is memory for it.
#[derive(Clone, Debug)]
pub struct Durations {
    /// Samples recorded.
    pub count: u64,
    /// Sum of the samples in picoseconds.
    pub sum: u128,
    /// All samples; `None` where there was no memory for them.
    pub distribution: Option<Distribution>,
}

impl Default for Durations {
    fn default() -> Self {
        Durations { count: 0, sum: 0, distribution: Some(Distribution::new()) }
    }
}

impl Durations {
    fn record(&mut self, span: Duration, memory: &mut Memory) {
        self.count += 1;
        self.sum += u128::from(span.picoseconds());
        let needed = match self.count {
            count if count <= EXACT_SAMPLES as u64 => size_of::<u64>(),
            count if count == EXACT_SAMPLES as u64 + 1 => BINNED_BYTES,
            _ => 0,
        };
        match &mut self.distribution {
            Some(distribution) if memory.take(needed) => distribution.record(span),
            distribution => *distribution = None,
        }
    }

    fn censor(&mut self) {
        if let Some(distribution) = &mut self.distribution {
            distribution.censor(1);
        }
    }

    /// Adds those of another service, which have a distribution only together.
    pub(crate) fn merge(&mut self, other: &Durations) {
        self.count += other.count;
        self.sum += other.sum;
        match (&mut self.distribution, &other.distribution) {
            (Some(distribution), Some(other)) => distribution.merge(other),
            (distribution, _) => *distribution = None,
        }
    }

    /// Their mean in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * 1e-12)
    }
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Transactions that began in the capture.
    pub transactions: u64,
    /// Transactions that were answered.
    pub answered: u64,
    /// Transactions of services without an answer.
    pub sent: u64,
    /// Transactions whose initiator gave up.
    pub unanswered: u64,
    /// Transactions that were refused.
    pub refused: u64,
    /// Transactions that were answered while others were open, so that their response time is not known.
    pub overlapped: u64,
    /// Transactions that were open when the capture ended.
    pub open: u64,
    /// Transactions that began before the capture, or whose first packet is not in it.
    pub began_before: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// User data of requests in bytes, each transaction once.
    pub request_bytes: u64,
    /// User data of answers in bytes, each transaction once.
    pub answer_bytes: u64,
    /// Packets of the initiator, and of the responder.
    pub packets: [u64; 2],
    /// Their bytes from layer 3 on.
    pub l3_bytes: [u64; 2],
    /// Their user data in bytes, copies included.
    pub l4_bytes: [u64; 2],
    /// Packets that are copies of ones sent before.
    pub repeated: u64,
    /// User data in bytes without copies.
    pub new_bytes: u64,
    /// From the first packet of a transaction to the first of its answer.
    pub response: Durations,
    /// From the first packet of a transaction to the last of its answer, where that was captured.
    pub complete: Durations,
    /// Of a flow: between the beginnings of transactions that follow each other.
    pub interarrival: Durations,
    /// Of a flow: beginning of the first transaction, and of the last.
    pub first: Option<(Time, Time)>,
    /// What protocols count, by the name of its metric.
    pub counts: Vec<(&'static str, u64)>,
    /// Durations that protocols measure, by the name of their metric.
    pub samples: Vec<(&'static str, Durations)>,
}

impl Tally {
    pub(crate) fn transaction(&mut self, transaction: &Transaction, memory: &mut Memory) {
        if transaction.outcome == Outcome::BeganBefore {
            self.began_before += 1;
            return;
        }
        self.transactions += 1;
        self.retries += u64::from(transaction.retries());
        self.request_bytes += u64::from(transaction.request_bytes);
        self.answer_bytes += u64::from(transaction.answer_bytes);
        match transaction.outcome {
            Outcome::Answered => self.answered += 1,
            Outcome::Sent => self.sent += 1,
            Outcome::Unanswered => self.unanswered += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Overlapped => self.overlapped += 1,
            Outcome::Open => self.open += 1,
            Outcome::BeganBefore => {}
        }
        match (transaction.outcome, transaction.end) {
            (Outcome::Answered, Some(end)) => self.response.record(end.since(transaction.begin), memory),
            (Outcome::Unanswered | Outcome::Refused, _) => {
                self.response.censor();
                self.complete.censor();
            }
            _ => {}
        }
    }

    pub(crate) fn complete(&mut self, span: Duration, memory: &mut Memory) {
        self.complete.record(span, memory);
    }

    /// Whether the response times of a service can be distinguished: hardly any of its requests was open together with another.
    pub fn is_separable(&self) -> bool {
        self.overlapped.saturating_mul(MOST_OVERLAPPED) <= self.transactions
    }

    /// A transaction of a flow began; those of one flow are reported in about this order.
    pub(crate) fn arrival(&mut self, begin: Time, memory: &mut Memory) {
        self.first = match self.first {
            None => Some((begin, begin)),
            Some((first, last)) => {
                if begin >= last {
                    self.interarrival.record(begin - last, memory);
                }
                Some((first.min(begin), last.max(begin)))
            }
        };
    }

    #[inline]
    pub(crate) fn packet(&mut self, packet: &Sent) {
        let side = usize::from(!packet.forward);
        self.packets[side] += 1;
        self.l3_bytes[side] += u64::from(packet.l3_bytes);
        self.l4_bytes[side] += u64::from(packet.l4_bytes);
        self.repeated += u64::from(packet.repeated);
        if !packet.repeated {
            self.new_bytes += u64::from(packet.l4_bytes);
        }
    }

    #[inline]
    pub(crate) fn count(&mut self, metric: &'static str, more: u64) {
        match self.counts.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, count)) => *count += more,
            None => self.counts.push((metric, more)),
        }
    }

    #[inline]
    pub(crate) fn sample(&mut self, metric: &'static str, span: Duration, memory: &mut Memory) {
        let place = self.samples.iter().position(|(known, _)| *known == metric).unwrap_or_else(|| {
            self.samples.push((metric, Durations::default()));
            self.samples.len() - 1
        });
        self.samples[place].1.record(span, memory);
    }

    /// Something counted, by the name of its metric.
    pub fn counted(&self, metric: &str) -> u64 {
        self.counts.iter().find(|(known, _)| *known == metric).map_or(0, |(_, count)| *count)
    }
}
