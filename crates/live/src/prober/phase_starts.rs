//! The first sequence number of each phase, by which packets are assigned to phases.

use std::ops::Range;

/// The first request of each phase, in order; the first phase begins with request 0.
#[derive(Clone, Debug)]
pub struct PhaseStarts(Vec<u64>);

impl Default for PhaseStarts {
    fn default() -> PhaseStarts {
        PhaseStarts(vec![0])
    }
}

impl PhaseStarts {
    /// A phase has ended: request `next` belongs to another.
    pub fn phase_over(&mut self, next: u64) {
        self.0.push(next);
    }

    /// Number of the current phase.
    pub fn current(&self) -> u32 {
        u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX)
    }

    /// Number of the phase of exactly these requests; `None` if they are a part of one.
    pub fn number(&self, requests: &Range<u64>) -> Option<u32> {
        let is_phase = |pair: &[u64]| pair == [requests.start, requests.end];
        u32::try_from(self.0.windows(2).position(is_phase)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_has_the_requests_between_its_ends() {
        let mut starts = PhaseStarts::default();
        assert_eq!(starts.current(), 0);
        // two phases, the wait for the last responses, and one request more
        [100, 150, 150, 151].into_iter().for_each(|next| starts.phase_over(next));
        assert_eq!(starts.current(), 4);
        assert_eq!([0..100, 100..150, 150..151].map(|requests| starts.number(&requests)), [Some(0), Some(1), Some(3)]);
        assert_eq!(starts.number(&(0..99)), None, "the phase ended early");
    }
}
