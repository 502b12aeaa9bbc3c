//! Checks that take more than one key.

pub mod lontalk;
pub mod queue;
