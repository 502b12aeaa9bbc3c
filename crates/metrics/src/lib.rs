//! What a run yields: [`record::Record`]s of single replications, merged into [`results::Metric`]s with
//! intervals, and the frames that captures read.

pub mod frames;
pub mod record;
