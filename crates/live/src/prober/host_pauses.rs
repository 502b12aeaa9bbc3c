//! Pauses of this host: times in which the measuring thread did not run although it was due to, as when its process is
//! stopped, its virtual machine is frozen, it is suspended, or other work starves it.

use nix::time::ClockId;
use sojourn_core::{Duration, Time};

use crate::io::clock::nanoseconds;

/// Shortest pause: a busy host wakes a thread late, but not by as much.
const SHORTEST: Duration = Duration::from_secs(1);

/// A pause of this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When the measuring thread ran last.
    pub begin: Time,
    /// When it ran again.
    pub end: Time,
    /// How long the host was suspended meanwhile, which the measurement's clock does not count.
    pub suspended: Duration,
}

impl Pause {
    /// Its length.
    pub fn lasted(&self) -> Duration {
        self.end.since(self.begin) + self.suspended
    }
}

/// Detects pauses from when the measuring thread runs and when it was due to.
#[derive(Debug)]
pub struct HostPauses {
    ran: Time,
    /// When it was due to run again.
    due: Time,
    /// How long the host had been suspended at the last look, since its start.
    suspended: Duration,
    found: Vec<Pause>,
}

impl HostPauses {
    /// The thread runs from now on.
    pub fn since(now: Time) -> HostPauses {
        HostPauses { ran: now, due: now, suspended: suspended(), found: Vec::new() }
    }

    /// The thread sleeps until then at most.
    #[inline]
    pub fn sleeps_until(&mut self, wake: Time) {
        self.due = wake;
    }

    /// The thread runs; the pause that has ended, if one has.
    #[inline]
    pub fn runs(&mut self, now: Time) -> Option<Pause> {
        let begin = std::mem::replace(&mut self.ran, now);
        let due = std::mem::replace(&mut self.due, now);
        if now.since(due) <= SHORTEST {
            return None;
        }
        Some(self.add(Pause { begin, end: now, suspended: Duration::ZERO }))
    }

    /// Checks for a suspension since the last check, which the measurement's clock does not count; it began after `begin`.
    pub fn look_for_suspension(&mut self, begin: Time, now: Time) -> Option<Pause> {
        self.suspension(suspended(), begin, now)
    }

    fn suspension(&mut self, in_all: Duration, begin: Time, now: Time) -> Option<Pause> {
        let suspended = in_all.saturating_sub(std::mem::replace(&mut self.suspended, in_all));
        (suspended > SHORTEST).then(|| self.add(Pause { begin, end: now, suspended }))
    }

    /// The thread did other work until now, which is not a pause.
    pub fn worked(&mut self, now: Time) {
        (self.ran, self.due) = (now, now);
    }

    /// The pauses found since this was asked last.
    pub fn take(&mut self) -> Vec<Pause> {
        std::mem::take(&mut self.found)
    }

    fn add(&mut self, pause: Pause) -> Pause {
        self.found.push(pause);
        pause
    }
}

/// How long this host has been suspended since its start.
pub fn suspended() -> Duration {
    let (monotonic, whole) = (nanoseconds(ClockId::CLOCK_MONOTONIC), nanoseconds(ClockId::CLOCK_BOOTTIME));
    Duration::from_nanos(whole.saturating_sub(monotonic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_pause_lasts_from_when_the_thread_ran_last_to_when_it_runs_again() {
        let mut pauses = HostPauses::since(at(0));
        assert_eq!([250, 500, 1500].map(|ms| pauses.runs(at(ms))), [None; 3], "a second is a busy host");
        let pause = Pause { begin: at(1500), end: at(21_500), suspended: Duration::ZERO };
        assert_eq!(pauses.runs(at(21_500)), Some(pause));
        assert_eq!((pauses.take(), pauses.take()), (vec![pause], vec![]));
    }

    #[test]
    fn a_sleep_is_no_pause_however_long_and_waking_late_is_one() {
        let mut pauses = HostPauses::since(at(0));
        pauses.sleeps_until(at(5000));
        assert_eq!(pauses.runs(at(5900)), None, "a busy host");
        pauses.sleeps_until(at(10_000));
        assert_eq!(pauses.runs(at(7000)), None, "a response woke it");
        pauses.sleeps_until(at(10_000));
        let pause = pauses.runs(at(12_000)).expect("it was due two seconds ago");
        assert_eq!((pause.begin, pause.end), (at(7000), at(12_000)));
    }

    #[test]
    fn other_work_of_the_thread_is_no_pause() {
        let mut pauses = HostPauses::since(at(0));
        pauses.worked(at(3000));
        assert_eq!(pauses.runs(at(3100)), None);
    }

    #[test]
    fn a_suspension_is_a_pause_although_the_clock_stood_still() {
        let mut pauses = HostPauses { suspended: Duration::from_nanos(7), ..HostPauses::since(at(0)) };
        assert_eq!(
            pauses.suspension(Duration::from_millis(500), at(0), at(1000)),
            None,
            "clocks are read one after the other"
        );
        let pause = pauses.suspension(Duration::from_millis(3_600_500), at(1000), at(2000)).expect("an hour");
        assert_eq!((pause.begin, pause.lasted()), (at(1000), Duration::from_secs(3601)));
    }
}
