//! Metrics: recorders, estimators, the registry and the results schema.
//!
//! A replication fills one [`record::Record`]: a [`Distribution`] of response times, a delay
//! [`Budget`], [`TimeWeighted`] levels, counts and scalars, by metric name. [`merge::merge`] turns the records of
//! a point, in order of replication, into the [`results::Metric`]s of the results file, with intervals from
//! Student's t ([`student`], [`interval`]), of quantiles by inverting that of the share below ([`quantile_interval`]), of
//! counts and shares exactly ([`exact`]), of extreme quantiles where the samples bear them ([`tail`]), and of a run without replications from its batches ([`one_run`]). [`dependence`] measures how far samples that follow each other repeat. [`registry`] defines each metric. [`mser`] finds the warm-up.
//! [`timeline`] observes in windows of time, [`recovery`] how long an event disturbs. [`requests`] keeps the probed requests one by one. [`frames`] receives captures, [`pcap`] writes them. [`codec`], [`jitter_buffer`] and [`e_model`] rate voice streams.

pub mod budget;
pub mod codec;
pub mod control;
pub mod dependence;
pub mod distribution;
pub mod e_model;
pub mod exact;
pub mod frames;
pub mod histogram;
pub mod interval;
pub mod jitter_buffer;
pub mod level;
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
pub mod student;
pub mod tail;
pub mod timeline;
pub mod trace;

pub use budget::Budget;
pub use distribution::Distribution;
pub use level::TimeWeighted;
pub use record::{Observation, Record};
pub use requests::RequestLog;
