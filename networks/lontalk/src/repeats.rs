//! Detects, second by second, how long the messages on a medium have been mostly repetitions.

use sojourn_core::{Duration, Time};

/// What each medium repeats; empty until a gauge asks.
#[derive(Clone, Debug, Default)]
pub struct Repeats(pub Vec<MediumRepeats>);

/// The repeats of a medium.
#[derive(Clone, Debug, Default)]
pub struct MediumRepeats {
    /// When the present second ends.
    pub until: Time,
    retries: u64,
    messages: u64,
    /// Messages counted before the counters of the medium began anew.
    before: u64,
    /// Seconds in a row, up to now, with more retries than half of the messages.
    pub seconds: u64,
}

impl MediumRepeats {
    /// The present second is over: so much was counted by now.
    pub fn end(&mut self, now: Time, retries: u64, messages: u64) {
        let messages = self.before + messages;
        let (more_retries, more_messages) =
            (retries.saturating_sub(self.retries), messages.saturating_sub(self.messages));
        // the first second begins at the first question
        let is_whole = self.until > Time::ZERO;
        let repeats = is_whole && more_retries > 0 && 2 * more_retries > more_messages;
        self.seconds = if repeats { self.seconds + 1 } else { 0 };
        (self.retries, self.messages, self.until) = (retries, messages, now + Duration::from_secs(1));
    }

    /// The medium resets its counters after this many messages.
    pub fn begin_anew(&mut self, messages: u64) {
        self.before += messages;
    }
}
