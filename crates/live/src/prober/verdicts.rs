//! The verdicts on the requests of a phase, counted.

use sojourn_core::Duration;

use super::packets::{Packet, Verdict};

/// How many requests had each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Answered before the timeout.
    pub answered: u64,
    /// Answered after it.
    pub late: u64,
    /// Answered with a failure.
    pub failed: u64,
    /// Never answered.
    pub lost: u64,
    /// Requests of which a pause of this host leaves nothing known.
    pub unknown: u64,
}

impl Verdicts {
    /// Of these requests, by a timeout.
    pub fn of(within: &[Packet], timeout: Duration) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for packet in within {
            *match packet.verdict(timeout) {
                Verdict::Answered => &mut verdicts.answered,
                Verdict::Late => &mut verdicts.late,
                Verdict::Failed => &mut verdicts.failed,
                Verdict::Lost => &mut verdicts.lost,
                Verdict::Unknown => &mut verdicts.unknown,
            } += 1;
        }
        verdicts
    }

    /// Requests whose verdict is known.
    pub fn decided(&self) -> u64 {
        self.answered + self.late + self.failed + self.lost
    }
}
