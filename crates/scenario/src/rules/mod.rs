//! Checks that take more than one key, of several networks.

pub mod counts;
pub(crate) mod laws;
pub mod measurement;
pub mod monitor;
pub mod obeyed;
