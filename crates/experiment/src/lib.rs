//! Experiments: from a scenario and the keys that vary to points, their replications, and results with verdicts.
//!
//! [`points`] checks a scenario at every value of its axes, [`plan`] puts the points in the order of results,
//! [`beginnings`] finds points with a common beginning, [`rounds`] decides which replications a point needs, and
//! [`evaluation`] merges their records. [`search`] chooses the values of a search for a limit, [`risk`] the points that
//! the rate of a rare event needs, [`advice`] which of several changes get more replications, and [`searching`] computes a search point by point with both. [`computation`],
//! [`search_computation`] and [`advice_computation`] have replications computed elsewhere. [`stability`] qualifies a judgement of an overloaded
//! system. [`shown`] is what one replication shows beyond its numbers. No module here waits, starts a thread, opens a
//! results file or reads a clock: each says what to compute next and takes what that gave. The caller computes, the
//! lab on threads or a cluster, a browser in workers, and each of them gets the same bytes.

pub mod advice;
pub mod advice_computation;
#[cfg(feature = "rare")]
pub mod beginnings;
mod bisection;
pub mod claim;
pub mod computation;
pub mod condition;
pub mod condition_unit;
pub mod deciding;
mod dip;
pub mod elasticity;
pub mod entry;
pub mod evaluation;
mod groups;
mod isotonic;
pub mod limit;
mod notes;
pub mod plan;
pub mod points;
pub mod rate_condition;
#[cfg(feature = "rare")]
pub mod risk;
#[cfg(not(feature = "rare"))]
#[path = "risk_refused.rs"]
pub mod risk;
pub mod rounds;
mod runs;
pub mod search;
pub mod search_computation;
pub mod searching;
pub mod shown;
pub mod stability;
#[cfg(feature = "rare")]
mod tail;
pub mod tried;
pub mod verdict;
pub mod warm_up;

pub use evaluation::Build;
pub use runs::Runs;
