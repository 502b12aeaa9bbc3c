//! The sessions with one target, one after the other, on the thread of that target.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration as Wait, Instant};

use sojourn_core::Duration;
use sojourn_live::prober::windows::event::{LONGEST_SESSION, WindowEvent, Windows};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Measurement, Watch, key};

use super::plan::TargetPlan;

/// Interval between attempts to open a session.
const RETRY_EVERY: Wait = Wait::from_secs(2);
/// How often cancellation is looked for.
const LOOK_EVERY: Wait = Wait::from_millis(250);

/// Measures a target until the watch is cancelled. A session that cannot be opened, or ends, is followed by another.
pub fn run(
    target: &TargetPlan,
    index: usize,
    window: Duration,
    events: &Sender<(usize, WindowEvent)>,
    watch: &Arc<Watch>,
) {
    let windows =
        Windows { length: window, session: LONGEST_SESSION, load: target.load, target: index, events: events.clone() };
    while !watch.is_cancelled() {
        let began = Instant::now();
        let outcome = session(target, &windows, watch);
        // a peer that ends every session at once is not asked for others without a pause
        let is_pause_due = outcome.is_err() || began.elapsed() < RETRY_EVERY;
        if let Err(reason) = outcome
            && (watch.is_cancelled() || events.send((index, WindowEvent::Ended(Some(reason)))).is_err())
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

/// One session, from its opening to its end; an error where it could not be opened.
fn session(target: &TargetPlan, windows: &Windows, watch: &Watch) -> Result<(), String> {
    let mut timed = target.timed.clone();
    timed.windows = Some(windows.clone());
    let first = |mistakes: sojourn_scenario::Problems| {
        mistakes.0.into_iter().next().map_or_else(String::new, |problem| problem.message)
    };
    timed.key = key::find(target.key_file.as_deref()).map_err(first)?;
    let measure = target.transport.measure(&target.target, Measurement::timed(timed)).map_err(first)?;
    let measured = measure(watch, &mut NoFrames);
    match measured.experiments.into_iter().find_map(|experiment| experiment.failure) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

fn pause(watch: &Watch) {
    let mut left = RETRY_EVERY;
    while !watch.is_cancelled() && left > Wait::ZERO {
        std::thread::sleep(LOOK_EVERY.min(left));
        left = left.saturating_sub(LOOK_EVERY);
    }
}
