//! Replications computed by other processes: what is handed out, and what is returned.
//!
//! A job offers replications in an [`Exchange`]; the driver of the cluster takes them as [`Batch`]es, text of checked
//! scenarios and numbers, and delivers the answers. A worker [computes](Computation) a batch: its answers are records as
//! the [cache](crate::cache) stores them, each with a checksum over its key, which holds the build. The stopping rule and
//! the merge stay with the job, so that neither the number of workers nor their order changes a byte.

mod batch;
mod computation;
mod exchange;

pub use batch::{Answer, Batch, ReplicationSet, read_answers, write_answers};
pub use computation::{Computation, Refusal};
pub use exchange::{Exchange, Offer, Subject};
