//! `sojourn monitor`: continuous measurement of many targets.
//!
//! 1. a request becomes a [`plan`] of targets;
//! 2. each target has a thread that opens one [session](sessions) after the other and measures in windows;
//! 3. the [`task`] takes what happens in them: the [`state`] of each target, with [`alert`]s on its conditions;
//! 4. [`line`](mod@line)s go to the [`journal`] and to the user, numbers to the [`exposition`], which an [`endpoint`] serves.
//!
//! No fault of a target ends the monitor or disturbs another target.

mod alert;
mod endpoint;
mod exposition;
mod journal;
mod line;
mod plan;
mod sessions;
mod state;
mod task;

pub use self::plan::check;
pub use self::task::MonitorTask;
