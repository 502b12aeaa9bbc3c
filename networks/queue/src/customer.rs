//! A customer on its path.

use sojourn_core::{Duration, Time};

use super::scenario::Settings;

/// A customer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Customer {
    pub flow: u32,
    /// Stations of the path it has come to.
    pub visited: u32,
    pub entered: Time,
    /// Its service times so far. For the rest of its response time it has waited.
    pub served: Duration,
    /// Which of a station's servers serves it.
    pub server: u32,
}

impl Customer {
    /// One that comes to the first station of its path at `entered`.
    #[inline]
    pub fn new(flow: u32, entered: Time) -> Customer {
        Customer { flow, visited: 0, entered, served: Duration::ZERO, server: 0 }
    }

    /// The station that it has come to.
    #[inline]
    pub fn station(&self, settings: &Settings) -> usize {
        settings.flows[self.flow as usize].path[self.visited as usize - 1]
    }
}
