//! Retransmission schedule of a request.

use sojourn_core::{Duration, Time};

const INITIAL_TIMEOUT: Duration = Duration::from_millis(250);
const MAX_TIMEOUT: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 5;

/// Sends at once and again after 250 ms, 500 ms, 1 s and 1 s, five times in all; gives up one second after the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    due: Time,
    timeout: Duration,
    sent: u32,
}

/// The action due now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Wait,
    Send,
    GiveUp,
}

impl Retry {
    /// The first transmission is due at `at`.
    pub fn from(at: Time) -> Retry {
        Retry { due: at, timeout: INITIAL_TIMEOUT, sent: 0 }
    }

    pub fn due(&self) -> Time {
        self.due
    }

    pub fn next(&mut self, now: Time) -> Next {
        if now < self.due {
            return Next::Wait;
        }
        if self.sent == ATTEMPTS {
            return Next::GiveUp;
        }
        self.sent += 1;
        self.due = now + self.timeout;
        self.timeout = MAX_TIMEOUT.min(self.timeout.times(2));
        Next::Send
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_sent_five_times_in_four_seconds() {
        let mut retry = Retry::from(Time::ZERO);
        let mut sent = Vec::new();
        loop {
            let now = retry.due();
            match retry.next(now) {
                Next::Send => sent.push(now.picoseconds() / 1_000_000_000),
                Next::Wait => panic!("it is due"),
                Next::GiveUp => break assert_eq!((now - Time::ZERO).picoseconds() / 1_000_000_000, 3750),
            }
        }
        assert_eq!(sent, [0, 250, 750, 1750, 2750]);
    }
}
