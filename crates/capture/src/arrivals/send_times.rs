//! Statistics of the send times of a flow, in bounded memory.

use sojourn_core::{Duration, Time};

use super::Reservoir;

/// Send times kept in order, from the first.
const IN_ORDER: usize = 2048;
/// Gaps kept as a sample of all.
const SAMPLE: usize = 1024;

/// Send times of the new messages of a flow; retries and repeats do not belong here.
#[derive(Clone, Debug)]
pub struct SendTimes {
    count: u64,
    first: Time,
    last: Time,
    in_order: Vec<Time>,
    gaps: Reservoir,
    thinks: Reservoir,
    completed: Option<Time>,
    gap_sum: f64,
}

impl Default for SendTimes {
    fn default() -> Self {
        SendTimes {
            count: 0,
            first: Time::ZERO,
            last: Time::ZERO,
            in_order: Vec::new(),
            gaps: Reservoir::new(SAMPLE),
            thinks: Reservoir::new(SAMPLE),
            completed: None,
            gap_sum: 0.0,
        }
    }
}

impl SendTimes {
    /// A new message was sent at `at`.
    pub fn sent(&mut self, at: Time) {
        if self.count == 0 {
            self.first = at;
        } else {
            let gap = at.since(self.last).seconds();
            self.gaps.push(gap);
            self.gap_sum += gap;
        }
        if let Some(completed) = self.completed.take() {
            self.thinks.push(at.since(completed).seconds());
        }
        if self.in_order.len() < IN_ORDER {
            self.in_order.push(at);
        }
        self.last = self.last.max(at);
        self.count += 1;
    }

    /// A new message was sent at `at`, and the gap before it does not show when it was due: the sender could not send.
    pub fn resumed(&mut self, at: Time) {
        if self.count == 0 {
            return self.sent(at);
        }
        self.completed = None;
        if self.in_order.len() < IN_ORDER {
            self.in_order.push(at);
        }
        self.last = self.last.max(at);
        self.count += 1;
    }

    /// When the last message was completed; `None` where it is not.
    pub const fn last_completed(&self) -> Option<Time> {
        self.completed
    }

    /// The last message was answered or given up at `at`.
    pub fn completed(&mut self, at: Time) {
        self.completed = Some(at);
    }

    /// Adds the send times of another sender of the same flow: gaps are those of each sender.
    pub fn merge(&mut self, other: &SendTimes) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.count += other.count;
        self.gaps.merge(&other.gaps);
        self.thinks.merge(&other.thinks);
        self.gap_sum += other.gap_sum;
        if other.in_order.len() > self.in_order.len() {
            self.in_order.clone_from(&other.in_order);
        }
    }

    /// Adds the send times that followed these of the same sender, and the time from the completion of the last message to the
    /// first of them in seconds, where it was complete by then.
    pub fn append(&mut self, next: &SendTimes, think: Option<f64>) {
        if next.count == 0 {
            return;
        }
        if let Some(think) = think {
            self.thinks.push(think);
        }
        if self.count > 0 {
            let gap = next.first.since(self.last).seconds();
            self.gaps.push(gap);
            self.gap_sum += gap;
        } else {
            self.first = next.first;
        }
        self.last = self.last.max(next.last);
        self.count += next.count;
        self.gaps.merge(&next.gaps);
        self.thinks.merge(&next.thinks);
        self.gap_sum += next.gap_sum;
        let room = IN_ORDER.saturating_sub(self.in_order.len());
        self.in_order.extend(next.in_order.iter().take(room));
    }

    /// Messages sent.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Time from the first message to the last.
    pub fn span(&self) -> Duration {
        self.last.since(self.first)
    }

    /// When the first message was sent.
    pub const fn first(&self) -> Time {
        self.first
    }

    /// The first send times in order (of merged flows: those of the sender with most), at most 2048.
    pub fn in_order(&self) -> &[Time] {
        &self.in_order
    }

    /// When the latest message was sent.
    pub fn last(&self) -> Option<Time> {
        (self.count > 0).then_some(self.last)
    }

    /// Whether [`in_order`](SendTimes::in_order) are all send times.
    pub fn is_complete(&self) -> bool {
        self.in_order.len() as u64 == self.count
    }

    /// A sample of the gaps between consecutive messages of a sender, s.
    pub const fn gaps(&self) -> &Reservoir {
        &self.gaps
    }

    /// A sample of the times from the completion of a message to the next one, s, where it was complete by then.
    pub const fn thinks(&self) -> &Reservoir {
        &self.thinks
    }

    /// Mean gap over all messages, s; 0 without gaps.
    pub fn mean_gap(&self) -> f64 {
        if self.gaps.seen() == 0 { 0.0 } else { self.gap_sum / self.gaps.seen() as f64 }
    }

    /// Correlation of consecutive gaps, −1 to 1: −0.5 of a period with independent lateness, 0 of independent gaps.
    pub(super) fn gap_correlation(&self) -> f64 {
        let gaps: Vec<f64> = self.in_order.windows(2).map(|pair| pair[1].since(pair[0]).seconds()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
        let variance: f64 = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum();
        let product: f64 = gaps.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        if variance > 0.0 { product / variance } else { 0.0 }
    }
}
