//! Curves of network calculus: upper bounds on arrivals, lower bounds on service, and the bounds that follow from
//! both.
//!
//! An [`Arrival`] curve is concave and piecewise linear, the minimum of token buckets; a [`Service`] curve convex, the
//! maximum of [`RateLatency`] curves. Data and time are exact rationals in any units: the analysis counts work in
//! picoseconds and time in picoseconds. References: J.-Y. Le Boudec, P. Thiran, *Network Calculus*, Springer LNCS 2050,
//! 2001, below `LBT`; C.-S. Chang, *Performance Guarantees in Communication Networks*, Springer, 2000.

mod arrival;
mod deviation;
mod left_over;
mod service;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;

pub use arrival::{Arrival, TokenBucket};
pub use left_over::{Rival, deficit_round_robin, fifo, flow_queuing, strict_priority};
pub use service::{RateLatency, Service};

/// An exact number: amounts of data, times, and rates of the one by the other.
pub type Rational = num_rational::Ratio<i128>;
