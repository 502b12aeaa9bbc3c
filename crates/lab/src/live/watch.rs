//! What a live task shows of itself while it runs, and what it was measured under.

#[cfg(feature = "live")]
pub use sojourn_live::transport::TestConditions;
#[cfg(feature = "live")]
pub use sojourn_live::{Progress, Report, Snapshot, Survey, Watch};

#[cfg(not(feature = "live"))]
pub use super::unwatched::{Progress, Report, Snapshot, Survey, TestConditions, Watch};
