//! Worst-case analysis: bounds on delays and queues that hold for every run of a scenario, each with its theorem.
//!
//! [`curve`] is the algebra of network calculus in exact rational arithmetic, [`network`] the analysis of flows over
//! servers hop by hop, [`fixed_priority`] that of messages on a bus by their priorities, [`priority_assignment`] the priorities with which they meet
//! their deadlines, and [`report`] the rows of results. Networks turn their scenarios into flows, hops and bounds.
//!
//! ```
//! use sojourn_bounds::curve::{Arrival, RateLatency, Rational};
//!
//! // 1000 bits at once and 20 bits a second, through a link of 100 bits a second that waits for 2 s at most
//! let whole = Rational::from_integer;
//! let (arrival, service) = (Arrival::token_bucket(whole(1000), whole(20)), RateLatency::new(whole(100), whole(2)));
//! assert_eq!(arrival.delay_bound(&service.into()), Some(whole(1000 / 100 + 2)));
//! assert_eq!(arrival.backlog_bound(&service.into()), Some(whole(1000 + 20 * 2)));
//! ```

pub mod curve;
pub mod envelope;
pub mod fixed_priority;
pub mod network;
pub mod priority_assignment;
pub mod report;
