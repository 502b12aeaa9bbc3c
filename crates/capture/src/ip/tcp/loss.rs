//! Classifies retransmissions by cause, as far as a capture shows it.

use sojourn_core::{Duration, Time};

use super::sequence::is_before;

/// Kind of a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The retransmission timer expired (RFC 6298), or recovery from that goes on.
    Timeout,
    /// Duplicate or selective acknowledgements showed the loss (RFC 5681, RFC 6675, RFC 8985).
    Fast,
    /// The end of the data was sent again before the timer expired (RFC 8985, section 7). A sender that waits as long with
    /// its probe of a single segment is not distinguished from one whose timer expired.
    TailLossProbe,
    /// The receiver had it: acknowledged before, or shown later by DSACK (RFC 2883) or timestamps (RFC 3522).
    Spurious,
}

impl Class {
    /// The member of `retransmissions` that counts it.
    pub fn metric(self) -> &'static str {
        match self {
            Class::Timeout => "retransmissions/rto",
            Class::Fast => "retransmissions/fast",
            Class::TailLossProbe => "retransmissions/tail-loss-probe",
            Class::Spurious => "retransmissions/spurious",
        }
    }
}

/// What a sender recovers from, up to the sequence number that was next when it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// From no loss.
    #[default]
    None,
    /// From one shown by acknowledgements.
    Fast(u32),
    /// From an expired timer.
    Timeout(u32),
}

/// What is known when a segment is sent again.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The sequence numbers sent again.
    pub range: (u32, u32),
    /// Whether the receiver acknowledged all of them before.
    pub is_acknowledged: bool,
    /// Whether it acknowledged later ones selectively, or sent duplicate acknowledgements.
    pub shows_loss: bool,
    /// Whether they were sent again before.
    pub was_repeated: bool,
    /// Whether earlier ones are not acknowledged, which the timer would send first (RFC 6298, 5.4).
    pub is_behind_others: bool,
    /// Time since they were sent last.
    pub age: Duration,
    /// Time since the receiver was heard last.
    pub silence: Duration,
    /// The retransmission timeout, estimated.
    pub rto: Duration,
    /// The highest sequence number sent, plus one.
    pub next: u32,
}

impl Recovery {
    /// The kind of a retransmission, which may begin a recovery.
    pub fn classify(&mut self, evidence: &Evidence) -> Class {
        let Evidence { range, is_acknowledged, shows_loss, was_repeated, is_behind_others, age, silence, rto, next } =
            *evidence;
        if is_acknowledged {
            return Class::Spurious;
        }
        if let Recovery::Timeout(until) = *self
            && is_before(range.0, until)
        {
            return Class::Timeout;
        }
        let in_recovery = matches!(*self, Recovery::Fast(until) if is_before(range.0, until));
        let is_timer_due = silence >= rto || (was_repeated && age >= rto);
        if !is_timer_due && (shows_loss || in_recovery) {
            if *self == Recovery::None {
                *self = Recovery::Fast(next);
            }
            return Class::Fast;
        }
        if range.1 == next && (age < rto || is_behind_others) {
            return Class::TailLossProbe;
        }
        *self = Recovery::Timeout(next);
        Class::Timeout
    }

    /// Whether the sender recovers from a loss of this range.
    pub fn covers(self, range: (u32, u32)) -> bool {
        matches!(self, Recovery::Fast(until) | Recovery::Timeout(until) if is_before(range.0, until))
    }

    /// The receiver acknowledges everything before `acknowledged`.
    pub fn acknowledged(&mut self, acknowledged: u32) {
        if let Recovery::Fast(until) | Recovery::Timeout(until) = *self
            && !is_before(acknowledged, until)
        {
            *self = Recovery::None;
        }
    }
}

/// When a sequence number that was not captured was passed over.
#[derive(Clone, Copy, Debug)]
pub struct Hole {
    /// The sequence numbers that were not captured.
    pub range: (u32, u32),
    /// When the segment behind them was captured.
    pub noticed: Time,
    /// The TSval of that segment.
    pub ts_val: Option<u32>,
}

impl Hole {
    /// Whether a segment that fills it was overtaken, not sent again: by its timestamp if that differs, else if it comes
    /// within the time that a retransmission takes at least, and no loss has been reported to the sender. That time may be
    /// known from a handshake alone, which waited in a queue longer than the retransmission does.
    pub fn is_filled_by_reordering(
        &self,
        now: Time,
        ts_val: Option<u32>,
        soonest: Duration,
        is_loss_reported: bool,
    ) -> bool {
        match (self.ts_val, ts_val) {
            (Some(behind), Some(filling)) if behind != filling => is_before(filling, behind),
            _ => now.since(self.noticed) < soonest && !is_loss_reported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn evidence() -> Evidence {
        Evidence {
            range: (100, 200),
            is_acknowledged: false,
            shows_loss: false,
            was_repeated: false,
            is_behind_others: false,
            age: MS(30),
            silence: MS(10),
            rto: MS(200),
            next: 1000,
        }
    }

    #[test]
    fn selective_acknowledgements_show_a_loss_and_recovery_goes_on_to_what_was_sent_then() {
        let mut recovery = Recovery::default();
        assert_eq!(recovery.classify(&Evidence { shows_loss: true, ..evidence() }), Class::Fast);
        assert_eq!(recovery.classify(&Evidence { range: (900, 1000), ..evidence() }), Class::Fast);
        recovery.acknowledged(999);
        assert_eq!(recovery, Recovery::Fast(1000));
        recovery.acknowledged(1000);
        assert_eq!(recovery, Recovery::None);
    }

    #[test]
    fn after_silence_it_was_the_timer_and_what_follows_belongs_to_that() {
        let mut recovery = Recovery::default();
        let silent = Evidence { shows_loss: true, age: MS(250), silence: MS(220), ..evidence() };
        assert_eq!(recovery.classify(&silent), Class::Timeout);
        assert_eq!(recovery.classify(&Evidence { shows_loss: true, ..evidence() }), Class::Timeout);
        let lost_again = Evidence { shows_loss: true, was_repeated: true, age: MS(201), ..evidence() };
        assert_eq!(Recovery::Fast(1000).classify(&lost_again), Class::Timeout);
    }

    #[test]
    fn the_end_of_the_data_sent_again_before_the_timer_expires_is_a_tail_loss_probe() {
        let tail = Evidence { range: (900, 1000), ..evidence() };
        assert_eq!(Recovery::default().classify(&tail), Class::TailLossProbe);
        let late = Evidence { age: MS(200), silence: MS(200), ..tail };
        assert_eq!(Recovery::default().classify(&late), Class::Timeout);
        assert_eq!(Recovery::default().classify(&Evidence { is_behind_others: true, ..late }), Class::TailLossProbe);
    }

    #[test]
    fn what_was_acknowledged_needs_no_retransmission() {
        let mut recovery = Recovery::default();
        assert_eq!(recovery.classify(&Evidence { is_acknowledged: true, ..evidence() }), Class::Spurious);
        assert_eq!(recovery, Recovery::None);
    }

    #[test]
    fn a_hole_is_filled_by_reordering_if_the_timestamp_is_older_or_the_time_short() {
        let hole = Hole { range: (0, 1), noticed: Time::ZERO, ts_val: Some(10) };
        let filled =
            |milliseconds, ts_val| hole.is_filled_by_reordering(Time::ZERO + MS(milliseconds), ts_val, MS(5), false);
        assert!(filled(50, Some(9)));
        assert!(!filled(1, Some(11)));
        assert!(filled(4, Some(10)) && filled(4, None));
        assert!(!filled(5, Some(10)) && !filled(5, None));
        assert!(
            !hole.is_filled_by_reordering(Time::ZERO + MS(4), None, MS(5), true),
            "a loss has been reported to the sender"
        );
    }
}
