//! What a run yields.
//!
//! A replication fills one [`record::Record`]: a [`Distribution`] of response times, a [`Budget`] of where the
//! time went, [`TimeWeighted`] levels, counts and scalars, by metric name. [`merge::merge`] turns the records of
//! a point, in order of replication, into the [`results::Metric`]s of the results file, with intervals from
//! Student's t ([`student`], [`interval`]). [`registry`] says what each metric means. [`mser`] finds the warm-up.
//! [`frames`] is what captures read. What a voice stream is worth, [`play_out`] and [`e_model`] say.

pub mod budget;
pub mod distribution;
pub mod e_model;
pub mod frames;
pub mod histogram;
pub mod interval;
pub mod level;
pub mod merge;
pub mod mser;
pub mod play_out;
pub mod record;
pub mod registry;
pub mod results;
pub mod student;
pub mod trace;

pub use budget::Budget;
pub use distribution::Distribution;
pub use level::TimeWeighted;
pub use record::{Observation, Record};
