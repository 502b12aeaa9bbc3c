//! An experiment: from a scenario and the keys that vary to points, their replications, and results with verdicts.
//!
//! [`points`] checks a scenario at every value of its axes, [`plan`] puts the points in the order of results, [`beginnings`] finds
//! those that begin alike, [`rounds`] decides which replications a point needs, and [`evaluation`] merges their records. [`search`]
//! chooses the points of a search for a limit, [`risk`] the replications that a rare event needs; [`computation`] and [`searching`]
//! are both where somebody else computes. [`stability`] says what a judgement is worth where more arrives than is served. [`shown`] is what one
//! replication shows beyond its numbers. Nothing here starts a thread, opens a file of results or reads a clock: who calls
//! computes the replications, in the lab on threads or a cluster, in a browser in workers, and every one of them gets the
//! same bytes.

#[cfg(feature = "rare")]
pub mod beginnings;
mod bisection;
pub mod claim;
pub mod computation;
pub mod condition;
pub mod condition_unit;
mod dip;
pub mod elasticity;
pub mod entry;
pub mod evaluation;
mod groups;
pub mod limit;
mod notes;
pub mod plan;
pub mod points;
pub mod rate_condition;
#[cfg(feature = "rare")]
pub mod risk;
pub mod rounds;
mod runs;
pub mod search;
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
