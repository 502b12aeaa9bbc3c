//! Losses: told by duplicate acknowledgements, by selective ones, or by a timeout (RFC 5681, RFC 6582, RFC 6675).

use sojourn_core::Time;

use super::connection::{Connection, State};
use super::numbering::Position;
use super::output::End;
use super::settings::Congestion;

/// Duplicates, or ranges beyond it, that tell of a loss.
const THRESHOLD: u32 = 3;

/// What is known of a loss.
#[derive(Clone, Debug, Default)]
pub(super) struct Recovery {
    /// Whether one is being recovered without a timeout.
    pub active: bool,
    /// What had been sent when it was noticed.
    pub point: Position,
    /// Duplicates since the last new acknowledgement.
    pub duplicates: u32,
    /// Up to where holes were sent again.
    pub resent: Position,
}

impl Connection {
    /// An acknowledgement that brings nothing new: a segment has arrived behind a hole.
    pub(super) fn duplicate(&mut self, now: Time) {
        self.recovery.duplicates += 1;
        if self.recovery.active {
            if !self.agreed.sack {
                self.congestion.inflate();
            }
            return;
        }
        let told =
            self.recovery.duplicates >= THRESHOLD || self.agreed.sack && self.is_lost(self.sending.unacknowledged);
        // duplicates of what a timeout sent again tell of no new loss (RFC 6582, 4)
        let new = self.settings.congestion == Congestion::Reno || self.sending.unacknowledged > self.recovery.point;
        if told && new {
            self.recover(now);
        }
    }

    fn recover(&mut self, now: Time) {
        let oldest = self.sending.unacknowledged;
        self.congestion.lost(self.at_stake());
        self.congestion.at_threshold_and(if self.agreed.sack { 0 } else { THRESHOLD.into() });
        self.recovery = Recovery { active: true, point: self.sending.furthest, resent: oldest, ..self.recovery };
        self.sending.timed = None;
        if self.agreed.sack {
            self.recovery.resent = oldest + self.sending.segment.min(self.sending.written - oldest);
        }
        self.sending.again = Some(oldest);
        self.start_retransmission_timer(now);
    }

    /// New data are acknowledged while a loss is recovered.
    pub(super) fn recovered(&mut self, acknowledged: Position, octets: u64) {
        let all = acknowledged >= self.recovery.point;
        if all || self.settings.congestion == Congestion::Reno && !self.agreed.sack {
            self.recovery.active = false;
            let under_way = self.flight_size().max(self.sending.segment) + self.sending.segment;
            let threshold = self.congestion.threshold();
            // no burst of what became free at once (RFC 6582, 3.2)
            let most = if self.settings.congestion == Congestion::Reno { threshold } else { threshold.min(under_way) };
            self.congestion.at_most(most);
        } else if !self.agreed.sack {
            self.congestion.deflate(octets);
            self.sending.again = Some(acknowledged);
        }
    }

    /// Nothing was acknowledged for too long.
    pub(super) fn timed_out(&mut self, now: Time) {
        self.tries += 1;
        if self.tries > self.settings.max_retransmits {
            self.end(End::TimedOut);
            return;
        }
        self.round_trip.back_off();
        self.sending.timed = None;
        if self.state != State::Synchronized {
            self.sending.next = 0;
            return;
        }
        // a segment that is lost again tells nothing new of the window (RFC 5681, 3.1); 4.4BSD lowers it again
        if self.tries == 1 || self.settings.congestion == Congestion::Reno {
            self.congestion.lost(self.at_stake());
        }
        self.congestion.collapse();
        self.recovery = Recovery { point: self.sending.furthest, ..Recovery::default() };
        // the other end may have dropped what it took out of order (RFC 2018, 8)
        self.sending.sack.clear();
        self.sending.next = self.sending.unacknowledged;
        self.start_retransmission_timer(now);
    }

    /// Octets whose half becomes the threshold.
    fn at_stake(&self) -> u64 {
        match self.settings.congestion {
            Congestion::Reno => {
                let window = self.sending.limit.saturating_sub(self.sending.unacknowledged);
                self.congestion.octets().min(window)
            }
            Congestion::NewReno | Congestion::Cubic => self.flight_size(),
        }
    }

    /// Whether holes are known and filled one by one.
    pub(super) fn recovers_by_selection(&self) -> bool {
        self.recovery.active && self.agreed.sack
    }

    /// Whether what is at `position` counts as lost.
    fn is_lost(&self, position: Position) -> bool {
        position < self.lost_below()
    }

    /// The position below which all that is missing counts as lost: enough has arrived from there on (RFC 6675,
    /// IsLost). The last ranges alone tell, however many there are.
    fn lost_below(&self) -> Position {
        let (mut ranges, mut octets) = (0, 0);
        for (first, end) in self.sending.sack.iter().rev() {
            (ranges, octets) = (ranges + 1, octets + end - first);
            if ranges >= THRESHOLD || octets > u64::from(THRESHOLD - 1) * self.sending.segment {
                return first;
            }
        }
        0
    }

    /// Where holes begin that were not sent again.
    fn not_resent(&self) -> Position {
        self.recovery.resent.max(self.sending.unacknowledged)
    }

    /// Octets that are thought to be in the network (RFC 6675, SetPipe).
    pub(super) fn in_network(&self) -> u64 {
        let (from, sack) = (self.not_resent(), &self.sending.sack);
        let below = self.lost_below().max(from);
        let lost_and_not_resent = below - from - sack.within(from, below);
        self.flight_size().saturating_sub(sack.total() + lost_and_not_resent)
    }

    /// The next hole to fill, if the network takes a segment more.
    pub(super) fn next_hole(&self) -> Option<(Position, Position)> {
        if !self.recovers_by_selection() || self.in_network() + self.sending.segment > self.congestion.octets() {
            return None;
        }
        let (from, end) = self.sending.sack.gap(self.not_resent())?;
        let end = end.min(self.sending.written);
        (from < end && self.is_lost(from)).then_some((from, end))
    }
}
