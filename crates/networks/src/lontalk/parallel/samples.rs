//! Samples of several groups, recorded in the order of time.

use sojourn_core::{Duration, Time};

use crate::lontalk::metrics::Metrics;

/// A response or transaction time, kept until those of all groups can be recorded in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it ended.
    pub at: Time,
    /// The flow.
    pub flow: u16,
    /// Whether it is of a transaction.
    pub is_transaction: bool,
    /// The time.
    pub span: Duration,
}

impl Metrics<'_> {
    /// Whether a sample was kept until it can be recorded: where there are several groups.
    #[inline]
    pub(in crate::lontalk) fn keeps(&mut self, at: Time, flow: u16, is_transaction: bool, span: Duration) -> bool {
        self.log.as_mut().map(|log| log.push(Sample { at, flow, is_transaction, span })).is_some()
    }

    /// Records samples in the order of time; returns whether that leaves the order of two open.
    pub(super) fn record_in_order(&mut self, samples: &mut Vec<Sample>) -> bool {
        let place = |sample: &Sample| (sample.at, sample.flow, sample.is_transaction);
        samples.sort_by_key(place);
        let is_open = samples.windows(2).any(|pair| place(&pair[0]) == place(&pair[1]) && pair[0].span != pair[1].span);
        for Sample { at, flow, is_transaction, span } in samples.drain(..) {
            if is_transaction {
                self.flows[usize::from(flow)].transaction.record(span);
            } else {
                self.record_response(at, flow, span);
            }
        }
        is_open
    }
}
