//! What a capture shows of a station of a trunk, beside its counts.

use sojourn_core::{Duration, Time};

use super::gaps::Gaps;

/// A master that sends nothing for this long, while the trunk carries this many frames, is off.
const SILENCE: Duration = Duration::from_secs(5);
const FRAMES: u64 = 100;
/// Outages that are kept of a station.
const LIMIT: usize = 16;

/// A station.
#[derive(Clone, Debug, Default)]
pub(super) struct StationSurvey {
    /// From a token to its next frame.
    pub after_token: Gaps,
    /// From a request to its reply, and to Reply Postponed.
    pub reply: Gaps,
    pub postponed: Gaps,
    /// From a Poll For Master without a reply to its next frame, and from a request without one.
    pub vacant: Gaps,
    pub unanswered: Gaps,
    /// When it sent its last frame, and frames of the trunk until then.
    last: Option<(Time, u64)>,
    silences: Vec<(Time, Option<Time>)>,
}

impl StationSurvey {
    /// It sends the frame of this number at `time`, in a capture that begins at `begin`.
    pub fn sends(&mut self, begin: Time, time: Time, frame: u64) {
        let (last, before) = self.last.replace((time, frame)).unwrap_or((begin, 0));
        self.silent(last, before, time, frame, Some(time));
    }

    /// The capture ends after `frames` frames.
    pub fn finish(&mut self, end: Time, frames: u64) {
        if let Some((last, before)) = self.last {
            self.silent(last, before, end, frames, None);
        }
    }

    /// From when until when it sent nothing, without an end up to that of the capture.
    pub fn silences(&self) -> &[(Time, Option<Time>)] {
        &self.silences
    }

    fn silent(&mut self, last: Time, before: u64, now: Time, frame: u64, until: Option<Time>) {
        if now.since(last) >= SILENCE && frame - before >= FRAMES && self.silences.len() < LIMIT {
            self.silences.push((last, until));
        }
    }
}
