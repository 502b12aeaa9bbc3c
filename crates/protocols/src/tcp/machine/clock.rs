//! When timers expire, by a host's own way of counting time.

use sojourn_core::{Duration, Time};

use super::settings::Clock;

/// The period of 4.4BSD's slow tick (`PR_SLOWHZ`).
pub(super) const SLOW: Duration = Duration::from_millis(500);
/// The period of its fast tick (`PR_FASTHZ`).
const FAST: Duration = Duration::from_millis(200);

impl Clock {
    /// When a retransmission timer of `span`, begun at `now`, expires: with ticks, at the last of as many as `span` holds.
    pub(super) fn expiry(&self, now: Time, span: Duration) -> Time {
        match *self {
            Clock::Fine { .. } => now + span,
            Clock::Ticks { slow, .. } => next_tick(now, slow, SLOW) + SLOW.times(span.whole(SLOW).saturating_sub(1)),
        }
    }

    /// When an acknowledgement that is held back from `now` on goes out.
    pub(super) fn acknowledgement(&self, now: Time) -> Time {
        match *self {
            Clock::Fine { delayed_ack, .. } => now + delayed_ack,
            Clock::Ticks { fast, .. } => next_tick(now, fast, FAST),
        }
    }

    /// Time from `earlier` to `now` as the host sees it.
    pub(super) fn elapsed(&self, earlier: Time, now: Time) -> Duration {
        match *self {
            Clock::Fine { .. } => now - earlier,
            Clock::Ticks { slow, .. } => next_tick(now, slow, SLOW) - next_tick(earlier, slow, SLOW),
        }
    }

    /// The unit of the clock that timestamps show.
    pub(super) fn timestamp_unit(&self) -> Duration {
        match *self {
            Clock::Fine { .. } => Duration::from_millis(1),
            Clock::Ticks { .. } => SLOW,
        }
    }

    /// The clock that timestamps show.
    pub(super) fn timestamp(&self, now: Time) -> u32 {
        now.since(Time::ZERO).whole(self.timestamp_unit()) as u32
    }
}

/// The first tick after `now` of a clock that ticks every `period`, one of its ticks being `tick`.
fn next_tick(now: Time, tick: Time, period: Duration) -> Time {
    let (now, phase, period) = (now.picoseconds(), tick.picoseconds() % period.picoseconds(), period.picoseconds());
    let since_one = (now + period - phase) % period;
    Time::from_picoseconds(now + period - since_one)
}
