//! `sojourn monitor`: continuous measurement of many targets; `sojourn mesh`: the same of agents that measure each other.
//!
//! 1. a request becomes a [`plan`] of targets;
//! 2. each target has a thread that opens one [session](sessions) after the other and measures in windows;
//! 3. the [`task`] takes what happens in them: the [`state`] of each target, with [`alert`]s on its conditions;
//! 4. [`names`] are resolved again, so that a target that moves is followed;
//! 5. pauses and clock of this [`host`] are events of no target;
//! 6. [`line`](mod@line)s go to the [`journal`] and to the user, numbers to the [`exposition`], which an [`endpoint`] serves,
//!    alerts to the command of a [`hook`].
//!
//! Of a [`mesh`] each pair of agents is a target, and each agent has one of the [`links`] in place of the threads of its
//! targets: the agent measures, and reports what a session of a monitor does.
//!
//! No fault of a target ends the monitor or disturbs another target.

mod alert;
mod endpoint;
mod exposition;
mod hook;
mod host;
mod journal;
mod line;
mod links;
mod mesh;
mod names;
mod plan;
mod quiet;
mod sessions;
mod state;
mod target_plan;
mod task;

pub use self::plan::check;
pub use self::task::MonitorTask;
