//! What a watcher sees of a measurement while it runs.

pub mod gauge;
pub mod report;
pub mod survey;
pub mod watch;
