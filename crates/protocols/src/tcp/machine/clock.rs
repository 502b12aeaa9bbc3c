//! Timer granularity: individual timers, or the free-running ticks of 4.4BSD.

use sojourn_core::{Duration, Time};

/// Period of 4.4BSD's slow tick (`PR_SLOWHZ`).
pub(super) const SLOW: Duration = Duration::from_millis(500);
/// Period of 4.4BSD's fast tick (`PR_FASTHZ`).
const FAST: Duration = Duration::from_millis(200);

/// Granularity of the timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// Timers that are set individually (RFC 6298).
    Fine {
        /// Clock granularity G (RFC 6298, 2).
        granularity: Duration,
        /// Least margin of the retransmission timeout over SRTT: the floor of 4 RTTVAR (Linux's `tcp_rto_min`).
        min_rto: Duration,
        /// RTO before the first RTT measurement (RFC 6298, 2.1).
        initial_rto: Duration,
        /// Delay of a delayed acknowledgement (RFC 9293, 3.8.6.3: at most 0.5 s).
        delayed_ack: Duration,
    },
    /// The free-running ticks of 4.4BSD: the slow tick every 500 ms drives retransmission, the fast tick every 200 ms
    /// delayed acknowledgements.
    Ticks {
        /// Time of any one slow tick.
        slow: Time,
        /// Time of any one fast tick.
        fast: Time,
    },
}

impl Clock {
    /// Whether timers are set individually.
    pub(super) fn is_fine(&self) -> bool {
        matches!(self, Clock::Fine { .. })
    }

    /// Expiry of a retransmission timer of `span` started at `now`; with ticks, at the last of the ticks within `span`.
    pub(super) fn expiry(&self, now: Time, span: Duration) -> Time {
        match *self {
            Clock::Fine { .. } => now + span,
            Clock::Ticks { slow, .. } => next_tick(now, slow, SLOW) + SLOW.times(span.whole(SLOW).saturating_sub(1)),
        }
    }

    /// Expiry of a delayed-ACK timer started at `now`.
    pub(super) fn delayed_ack_expiry(&self, now: Time) -> Time {
        match *self {
            Clock::Fine { delayed_ack, .. } => now + delayed_ack,
            Clock::Ticks { fast, .. } => next_tick(now, fast, FAST),
        }
    }

    /// Time from `earlier` to `now` as the host measures it.
    pub(super) fn elapsed(&self, earlier: Time, now: Time) -> Duration {
        match *self {
            Clock::Fine { .. } => now - earlier,
            Clock::Ticks { slow, .. } => next_tick(now, slow, SLOW) - next_tick(earlier, slow, SLOW),
        }
    }

    /// Unit of the timestamp clock (RFC 7323, 5.4).
    pub(super) fn timestamp_unit(&self) -> Duration {
        match *self {
            Clock::Fine { .. } => Duration::from_millis(1),
            Clock::Ticks { .. } => SLOW,
        }
    }

    /// Value of the timestamp clock (TSval).
    pub(super) fn timestamp(&self, now: Time) -> u32 {
        now.since(Time::ZERO).whole(self.timestamp_unit()) as u32
    }
}

/// The first tick after `now` of a clock with this `period` and one of its ticks at `tick`.
fn next_tick(now: Time, tick: Time, period: Duration) -> Time {
    let (now, phase, period) = (now.picoseconds(), tick.picoseconds() % period.picoseconds(), period.picoseconds());
    let since_tick = (now + period - phase) % period;
    Time::from_picoseconds(now + period - since_tick)
}
