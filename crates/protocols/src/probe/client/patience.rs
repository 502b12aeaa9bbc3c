//! How often and how long a question is asked.

use sojourn_core::{Duration, Time};

const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 5;

/// Asks at once, again after 250 ms, 500 ms and then every second, five times in all; then a last second is waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    due: Time,
    wait: Duration,
    asked: u32,
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Wait,
    Ask,
    GiveUp,
}

impl Patience {
    /// The first question is due at `at`.
    pub fn from(at: Time) -> Patience {
        Patience { due: at, wait: FIRST_WAIT, asked: 0 }
    }

    pub fn due(&self) -> Time {
        self.due
    }

    pub fn next(&mut self, now: Time) -> Next {
        if now < self.due {
            return Next::Wait;
        }
        if self.asked == ATTEMPTS {
            return Next::GiveUp;
        }
        self.asked += 1;
        self.due = now + self.wait;
        self.wait = LONGEST_WAIT.min(self.wait.times(2));
        Next::Ask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_asked_five_times_in_four_seconds() {
        let mut patience = Patience::from(Time::ZERO);
        let mut asked = Vec::new();
        loop {
            let now = patience.due();
            match patience.next(now) {
                Next::Ask => asked.push(now.picoseconds() / 1_000_000_000),
                Next::Wait => panic!("it is due"),
                Next::GiveUp => break assert_eq!((now - Time::ZERO).picoseconds() / 1_000_000_000, 3750),
            }
        }
        assert_eq!(asked, [0, 250, 750, 1750, 2750]);
    }
}
