//! Samples of several groups, recorded in the order of time.

use sojourn_core::{Duration, Time};

use crate::metrics::{Metrics, SampleKind};

/// A sample, kept until those of all groups can be recorded in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it ended.
    pub at: Time,
    /// The flow.
    pub flow: u16,
    /// What it is of.
    pub kind: SampleKind,
    /// The time.
    pub span: Duration,
}

impl Metrics<'_> {
    /// Whether a sample was kept until it can be recorded: where there are several groups.
    #[inline]
    pub(crate) fn keeps(&mut self, at: Time, flow: u16, kind: SampleKind, span: Duration) -> bool {
        self.log.as_mut().map(|log| log.push(Sample { at, flow, kind, span })).is_some()
    }

    /// Records samples in the order of time; returns whether that leaves the order of two open.
    pub(super) fn record_in_order(&mut self, samples: &mut Vec<Sample>) -> bool {
        let place = |sample: &Sample| (sample.at, sample.flow, sample.kind);
        samples.sort_by_key(place);
        let is_open = samples.windows(2).any(|pair| place(&pair[0]) == place(&pair[1]) && pair[0].span != pair[1].span);
        for Sample { at, flow, kind, span } in samples.drain(..) {
            match kind {
                SampleKind::Response => self.record_response(at, flow, span),
                SampleKind::Transaction => self.flows[usize::from(flow)].transaction.record(span),
                SampleKind::Round => self.flows[usize::from(flow)].rounds.record(span),
            }
        }
        is_open
    }
}
