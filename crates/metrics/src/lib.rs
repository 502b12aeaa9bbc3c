//! Metrics: recorders, estimators, the registry and the results schema.
//!
//! A replication fills one [`record::Record`]: a [`Distribution`] of response times, a delay [`Budget`],
//! [`TimeWeighted`] levels, counts and scalars, by metric name. [`merge::merge`] turns the records of a point, in
//! replication order, into the [`results::Metric`]s of the results file. Their intervals come from Student's t
//! ([`student`], [`interval`]); for quantiles, by inverting the interval of the share below ([`quantile_interval`]);
//! for counts and shares, exactly ([`exact`]); for extreme quantiles, where there are enough samples ([`tail`]); and
//! for a run without replications, from its batches ([`one_run`]). [`dependence`] measures autocorrelation.
//! [`registry`] defines each metric, [`display`] writes its values as text. [`mser`] finds the warm-up. [`load`] is what a
//! resource was offered and carried, [`stability`] whether it has a steady state. [`timeline`] observes in windows of
//! time, [`recovery`] measures how long an event disturbs. [`requests`] keeps the probed requests one by one. [`frames`]
//! receives captures, [`pcap`] writes them. [`codec`], [`jitter_buffer`] and [`e_model`] rate voice streams.

pub mod budget;
pub mod codec;
pub mod control;
pub mod dependence;
pub mod display;
pub mod distribution;
pub mod e_model;
pub mod exact;
pub mod frames;
pub mod histogram;
pub mod interval;
pub mod jitter_buffer;
pub mod level;
pub mod load;
pub mod merge;
pub mod mser;
pub mod one_run;
pub mod pcap;
pub mod quantile_interval;
pub mod record;
pub mod recovery;
pub mod registry;
pub mod requests;
pub mod results;
mod special;
pub mod stability;
pub mod student;
pub mod tail;
pub mod timeline;
pub mod trace;

pub use budget::Budget;
pub use distribution::Distribution;
pub use level::TimeWeighted;
pub use record::{Observation, Record};
pub use requests::RequestLog;
