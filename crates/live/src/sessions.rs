//! Sessions with one target, one after the other: one that cannot be opened, or ends, is followed by another.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::prober::windows::event::WindowEvent;
use crate::progress::watch::Watch;
use crate::transport::{Measure, NoFrames};

/// Interval between attempts to open a session.
pub const RETRY_EVERY: Duration = Duration::from_secs(2);
/// How often cancellation is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Measures a target, by its number among those of `events`, until the watch is cancelled. `open` opens the next session, in
/// windows that report to `events`, or says why it cannot.
pub fn repeat(
    target: usize,
    events: &Sender<(usize, WindowEvent)>,
    watch: &Watch,
    mut open: impl FnMut() -> Result<Measure, String>,
) {
    while !watch.is_cancelled() {
        let began = Instant::now();
        let outcome = open().and_then(|measure| one(measure, watch));
        // a peer that ends every session at once is not asked for others without a pause
        let is_pause_due = outcome.is_err() || began.elapsed() < RETRY_EVERY;
        if let Err(reason) = outcome
            && (watch.is_cancelled() || events.send((target, WindowEvent::Ended(Some(reason)))).is_err())
        {
            return;
        }
        if is_pause_due {
            pause(watch);
        }
        // what a session reports to a user is in its events already
        watch.reports(usize::MAX);
    }
}

/// One session, to its end; an error where it could not be opened.
fn one(measure: Measure, watch: &Watch) -> Result<(), String> {
    let measured = measure(watch, &mut NoFrames);
    match measured.experiments.into_iter().find_map(|experiment| experiment.failure) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// Waits before the next attempt, unless the watch is cancelled.
pub fn pause(watch: &Watch) {
    let mut left = RETRY_EVERY;
    while !watch.is_cancelled() && left > Duration::ZERO {
        std::thread::sleep(LOOK_EVERY.min(left));
        left = left.saturating_sub(LOOK_EVERY);
    }
}
