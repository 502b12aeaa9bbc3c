//! Detection of spurious RTOs: Eifel by timestamps (RFC 3522), and F-RTO, with SACK where it was negotiated (RFC
//! 5682). The response restores the state of congestion control (RFC 4015; RFC 9438, 4.9).

use super::congestion::CongestionControl;
use super::sequence::Position;

/// What the acknowledgements after a timeout show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing, or no timeout is being judged.
    Open,
    /// Up to two segments with new data are to be sent, whose acknowledgements will show it (RFC 5682, 3.1, step 2b).
    SendNew,
    /// Data were lost: the recovery goes on.
    Lost,
    /// All arrived: the timeout was spurious.
    Spurious,
}

/// What an acknowledgement says of the data that were in flight at the timeout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Whether it acknowledges new data cumulatively.
    pub advances: bool,
    /// Whether some of the data in flight at the timeout are acknowledged only now, by SACK.
    pub sacks_original: bool,
    /// Whether all data in flight at the timeout are acknowledged.
    pub complete: bool,
    /// TSecr, where timestamps are in use.
    pub ts_ecr: Option<u32>,
    /// Whether new data may be sent within the peer's window.
    pub has_new_data: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The first segment was retransmitted.
    Retransmitted,
    /// New data were sent, up to this position at most.
    SentNew { up_to: Position },
}

/// A timeout that is being judged.
#[derive(Clone, Debug, Default)]
pub(super) struct SpuriousTimeout {
    step: Option<Step>,
    /// State before the timeout.
    before: Option<CongestionControl>,
    /// Timestamp of the first retransmission.
    retransmitted: u32,
}

impl SpuriousTimeout {
    /// A timeout that interrupts no recovery expires; the state of congestion control `before` it, and the timestamp of
    /// the retransmission.
    pub fn begin(&mut self, before: CongestionControl, timestamp: u32) {
        *self = SpuriousTimeout { step: Some(Step::Retransmitted), before: Some(before), retransmitted: timestamp };
    }

    /// Nothing is to be judged any more.
    pub fn end(&mut self) {
        (self.step, self.before) = (None, None);
    }

    /// Whether a timeout is being judged.
    pub fn is_open(&self) -> bool {
        self.step.is_some()
    }

    /// Position up to which new data may be sent, in place of what cwnd permits.
    pub fn new_data_up_to(&self) -> Option<Position> {
        match self.step {
            Some(Step::SentNew { up_to }) => Some(up_to),
            _ => None,
        }
    }

    /// State of congestion control before a timeout that was spurious.
    pub fn restored(&mut self) -> Option<CongestionControl> {
        self.step = None;
        self.before.take()
    }

    /// Judges an acknowledgement; `new_up_to` is the position after two segments of new data.
    pub fn judge(&mut self, evidence: &Evidence, new_up_to: Position) -> Verdict {
        let Some(step) = self.step else { return Verdict::Open };
        let is_older = |ts_ecr: u32| ts_ecr.wrapping_sub(self.retransmitted) as i32 <= -1;
        if evidence.advances && evidence.ts_ecr.is_some_and(is_older) || evidence.sacks_original {
            return Verdict::Spurious;
        }
        match step {
            Step::Retransmitted if evidence.advances && !evidence.complete && evidence.has_new_data => {
                self.step = Some(Step::SentNew { up_to: new_up_to });
                Verdict::SendNew
            }
            // only the data in flight at the timeout are acknowledged, and only the first of them was sent again
            Step::SentNew { .. } if evidence.advances && !evidence.complete => Verdict::Spurious,
            _ => {
                self.end();
                Verdict::Lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Time;

    use super::super::settings::Settings;
    use super::*;

    const NEW: Evidence =
        Evidence { advances: true, sacks_original: false, complete: false, ts_ecr: None, has_new_data: true };
    const DUPLICATE: Evidence = Evidence { advances: false, ..NEW };

    fn after_a_timeout() -> SpuriousTimeout {
        let mut timeout = SpuriousTimeout::default();
        timeout.begin(CongestionControl::new(&Settings::bsd95(1000, Time::ZERO, Time::ZERO)), 500);
        timeout
    }

    #[test]
    fn two_acknowledgements_that_advance_show_that_nothing_was_lost() {
        let mut timeout = after_a_timeout();
        assert_eq!(timeout.judge(&NEW, 3000), Verdict::SendNew);
        assert_eq!(timeout.new_data_up_to(), Some(3000));
        assert_eq!(timeout.judge(&NEW, 5000), Verdict::Spurious);
        assert!(timeout.restored().is_some() && !timeout.is_open());
    }

    #[test]
    fn a_duplicate_after_either_step_shows_a_loss() {
        assert_eq!(after_a_timeout().judge(&DUPLICATE, 3000), Verdict::Lost);
        let mut timeout = after_a_timeout();
        timeout.judge(&NEW, 3000);
        assert_eq!(timeout.judge(&DUPLICATE, 3000), Verdict::Lost);
        assert_eq!(timeout.judge(&NEW, 3000), Verdict::Open, "the recovery goes on");
    }

    #[test]
    fn an_echo_of_a_timestamp_before_the_retransmission_shows_at_once_that_the_original_arrived() {
        assert_eq!(after_a_timeout().judge(&Evidence { ts_ecr: Some(499), ..NEW }, 3000), Verdict::Spurious);
        assert_eq!(after_a_timeout().judge(&Evidence { ts_ecr: Some(500), ..NEW }, 3000), Verdict::SendNew);
        // the timestamp clock wraps around
        assert_eq!(after_a_timeout().judge(&Evidence { ts_ecr: Some(u32::MAX), ..NEW }, 3000), Verdict::Spurious);
    }

    #[test]
    fn a_selective_acknowledgement_of_original_data_shows_it_too() {
        let evidence = Evidence { sacks_original: true, ..DUPLICATE };
        assert_eq!(after_a_timeout().judge(&evidence, 3000), Verdict::Spurious);
    }

    #[test]
    fn without_new_data_to_send_the_recovery_goes_on() {
        assert_eq!(after_a_timeout().judge(&Evidence { has_new_data: false, ..NEW }, 3000), Verdict::Lost);
    }
}
