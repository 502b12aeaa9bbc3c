//! Pacing: segments leave at a rate, not in bursts.

use sojourn_core::{Duration, Time};

/// The first segments of a connection leave back to back, before a rate is known: the first gap follows the tenth
/// (`tcp_update_skb_after_send()` of Linux).
const UNPACED: u8 = 9;

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    is_on: bool,
    /// When the next segment may leave.
    pub next: Time,
    unpaced: u8,
}

impl Pacer {
    pub fn new(is_on: bool) -> Self {
        Pacer { is_on, next: Time::ZERO, unpaced: UNPACED }
    }

    /// Whether a segment may leave.
    #[inline]
    pub fn permits(&self, now: Time) -> bool {
        self.next <= now
    }

    /// Whether rates matter.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// A segment with `octets` of data left; `rate` are octets per second, if one is known.
    pub fn sent(&mut self, now: Time, octets: u64, rate: Option<f64>) {
        if self.unpaced > 0 {
            self.unpaced -= 1;
        } else if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            let span = Duration::from_seconds(octets as f64 / rate).unwrap_or(Duration::ZERO);
            self.next = self.next.max(now) + span;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_first_ten_segments_leave_at_the_rate_and_idle_time_is_not_saved_up() {
        let mut pacer = Pacer::new(true);
        let mut now = Time::ZERO;
        let mut sent = Vec::new();
        for _ in 0..14 {
            now = now.max(pacer.next);
            sent.push((now - Time::ZERO).whole(Duration::from_micros(1)));
            pacer.sent(now, 1000, Some(1e6));
        }
        assert_eq!(sent, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000, 2000, 3000, 4000]);
        let later = now + Duration::from_secs(1);
        pacer.sent(later, 1000, Some(1e6));
        assert!(!pacer.permits(later) && pacer.permits(later + Duration::from_millis(1)));
    }
}
