//! Progress of a measurement: what its watcher sees while it runs.

pub mod gauge;
pub mod report;
pub mod survey;
pub mod watch;
